"""The catalogue of cards: figures with sources, and every way in which a card is named."""

import pytest

from workbench.base import InputError
from workbench.profiles import find_card, known_card, load_cards, load_profile, name_from_driver

DRIVER_NAMES = {
    "NVIDIA H100 80GB HBM3": "h100_sxm",
    "NVIDIA H100 PCIe": "h100_pcie",
    "NVIDIA H100 NVL": "h100_nvl",
    "NVIDIA H200": "h200_sxm",
    "NVIDIA H200 NVL": "h200_nvl",
    "NVIDIA B200": "b200_sxm",
    "NVIDIA B300 SXM6 AC": "b300_sxm",
    "NVIDIA A100-SXM4-80GB": "a100_sxm",
    "A100-SXM4-80GB": "a100_sxm",
    "NVIDIA A100-SXM-80GB": "a100_sxm",
    "NVIDIA A100 80GB PCIe": "a100_pcie",
    "NVIDIA A100-PCIE-80GB": "a100_pcie",
    "NVIDIA A100-SXM4-40GB": "a100_40gb",
    "NVIDIA A100-PCIE-40GB": "a100_40gb",
    "NVIDIA L40S": "l40s",
    "NVIDIA L4": "l4",
    "NVIDIA A10G": "a10g",
    "NVIDIA RTX A6000": "rtx_a6000",
    "NVIDIA GeForce RTX 3090": "rtx_3090",
    "NVIDIA GeForce RTX 4090": "rtx_4090",
    "NVIDIA GeForce RTX 5090": "rtx_5090",
    "GeForce RTX 3090": "rtx_3090",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition": "rtx_pro_6000_server",
    "AMD Instinct MI300X": "mi300x",
    "AMD Instinct MI300X OAM": "mi300x",
    "AMD Instinct MI300X VF": "mi300x",
}
OTHER_CARDS = (
    "NVIDIA GeForce RTX 4090 D",
    "NVIDIA GeForce RTX 4090 Laptop GPU",
    "NVIDIA GeForce RTX 5090 D",
    "NVIDIA GeForce RTX 3090 Ti",
    "NVIDIA A100-SXM-64GB",
    "NVIDIA A10",
    "NVIDIA GH200 480GB",
    "NVIDIA GB200",
    "NVIDIA H20",
    "NVIDIA L40",
    "NVIDIA RTX 6000 Ada Generation",
    "Tesla T4",
    "AMD Instinct MI325X",
    "",
)


def test_every_card_has_figures_and_their_source_but_no_price() -> None:
    cards = load_cards()
    assert len({card.name for card in cards}) == len(cards)
    for card in cards:
        assert 0.9 * card.memory_label_gb <= card.usable_gib <= card.memory_label_gb
        assert card.usable_source
        assert card.rates_source
    assert not [name for name in type(cards[0]).__struct_fields__ if "price" in name or "cost" in name]


def test_no_two_cards_share_a_name() -> None:
    named = [known for card in load_cards() for known in (card.name, card.title, *card.aliases)]
    assert [name for name in named if find_card(name) not in load_cards()] == []
    for card in load_cards():
        assert {find_card(name) for name in (card.name, card.title, *card.aliases)} == {card}


@pytest.mark.parametrize("name", ["H100", "h100-sxm5-80gb", "h100_sxm", "H100 SXM", "80 GB H100"])
def test_a_card_is_found_as_people_write_it(name: str) -> None:
    assert find_card(name).name == "h100_sxm"


@pytest.mark.parametrize(("told", "name"), DRIVER_NAMES.items())
def test_a_card_is_found_as_a_driver_writes_it(told: str, name: str) -> None:
    for written in (
        told,
        f"GPU 0: {told}",
        f"GPU 12: {told} (UUID: GPU-0f-1)",
        f"GPU 0: {told}\nGPU 1: {told}",
    ):
        assert find_card(written).name == name


@pytest.mark.parametrize("told", OTHER_CARDS)
def test_a_card_that_only_sounds_alike_is_not_taken_for_it(told: str) -> None:
    assert known_card(told) is None


@pytest.mark.parametrize(
    ("told", "whole", "gib", "memory"),
    [
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "a100_40gb", 4.92, 1 / 8),
        ("NVIDIA A100-SXM4-80GB MIG 2g.20gb", "a100_sxm", 19.81, 2 / 8),
        ("NVIDIA H100 80GB HBM3 MIG 3g.40gb", "h100_sxm", 39.59, 4 / 8),
        ("NVIDIA H100 80GB HBM3 MIG 1g.20gb", "h100_sxm", 19.8, 2 / 8),
        ("NVIDIA H100 80GB HBM3 MIG 7g.80gb", "h100_sxm", 79.19, 1),
        ("NVIDIA H200 MIG 1g.18gb+me", "h200_sxm", 17.48, 1 / 8),
    ],
)
def test_a_mig_instance_has_the_memory_and_the_rates_of_its_slices(
    told: str, whole: str, gib: float, memory: float
) -> None:
    part, card = find_card(told), find_card(whole)
    assert part.usable_gib == pytest.approx(gib, abs=0.02)
    assert part.bandwidth_tb_s == pytest.approx(card.bandwidth_tb_s * memory)
    assert part.bf16_tflops < card.bf16_tflops or memory == 1
    assert part.name != card.name
    assert "MIG" in part.title


def test_a_mig_instance_larger_than_its_card_is_refused() -> None:
    with pytest.raises(InputError, match=r"MIG 9g\.160gb is no part of h100_sxm"):
        find_card("NVIDIA H100 80GB HBM3 MIG 9g.160gb")


def test_a_name_is_taken_out_of_what_a_server_lists() -> None:
    assert name_from_driver("GPU 0: NVIDIA L4 (UUID: GPU-1)\nGPU 1: NVIDIA L4") == "NVIDIA L4"
    assert name_from_driver("NVIDIA H100 80GB HBM3, 81559 MiB") == "NVIDIA H100 80GB HBM3, 81559 MiB"
    assert name_from_driver("") == ""


@pytest.mark.parametrize("card", ["h100", "NVIDIA H100 80GB HBM3", "h100_sxm"])
def test_a_profile_is_found_by_any_name_of_its_card(card: str) -> None:
    name = "Llama-3.1-8B/tp1"
    assert load_profile(f"{card}/{name}") == load_profile(f"h100_sxm/{name}")
