from .widget import StartPage as StartPage
