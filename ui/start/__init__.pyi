from .start_page import StartPage as StartPage
