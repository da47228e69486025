"""Step-time models of GPUs: how long a step takes, where the figure comes from, how far off it may be."""

from workbench.profiles.cards import Card, find_card, known_card, load_cards, told_name
from workbench.profiles.catalogue import list_profiles, load_profile
from workbench.profiles.files import read_profile, save_profile
from workbench.profiles.memory import kv_blocks
from workbench.profiles.profile import (
    KnownError,
    Profile,
    ProfileKind,
    Standing,
    check_profile_name,
)
from workbench.profiles.step_model import StepModel

__all__ = [
    "Card",
    "KnownError",
    "Profile",
    "ProfileKind",
    "Standing",
    "StepModel",
    "check_profile_name",
    "find_card",
    "known_card",
    "kv_blocks",
    "list_profiles",
    "load_cards",
    "load_profile",
    "read_profile",
    "save_profile",
    "told_name",
]
