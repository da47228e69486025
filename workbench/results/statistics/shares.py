"""How large a share can be of which few cases, or none, were seen."""

import math

ONE_SIDED, TWO_SIDED = 1.645, 1.960
"""Normal quantiles: 95 % that the share is no larger; 95 % that it is neither larger nor smaller."""


def share_at_most(count: float, n: float, z: float = ONE_SIDED) -> float:
    """Wilson's upper bound of the share of which `count` cases were seen among `n`; 1 where n is 0.

    Of none among 90 it is 2.9 %: nobody who saw so few can promise less.
    """
    if n <= 0:
        return 1.0
    share, wide = count / n, z * z / n
    half = z * math.sqrt(share * (1 - share) / n + wide / (4 * n))
    return min(1.0, (share + wide / 2 + half) / (1 + wide))
