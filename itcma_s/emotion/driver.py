"""The driver d^t, a resident's urge to act (section 3.3, Eq. 13-15), and the ITCMA driver that it replaces."""

from __future__ import annotations

from dataclasses import dataclass

from itcma_s.checks import check_emotion, check_finite, check_range


@dataclass(frozen=True, kw_only=True, slots=True)
class DriverWeights:
    """The dynamic weights of the emotions: omega_P + omega_A + omega_D = 1.

    Attributes:
        pleasure: omega_P, >= 0.
        arousal: omega_A, >= 0.
        dominance: omega_D, >= 0.

    Raises:
        ValueError: if a weight is negative or not finite, or the three do not sum to 1 (within 1e-9).
    """

    pleasure: float = 0.4
    arousal: float = 0.3
    dominance: float = 0.3

    def __post_init__(self) -> None:
        for label in ("pleasure", "arousal", "dominance"):
            check_range(f"the weight of {label}", getattr(self, label), 0.0, 1.0, "weights are shares of 1")
        total = self.pleasure + self.arousal + self.dominance
        if abs(total - 1.0) > 1e-9:
            raise ValueError(
                f"the weights of pleasure, arousal and dominance must sum to 1, got {total!r}; divide each by their sum"
            )


def driver_bias(
    pleasure: float,
    arousal: float,
    dominance: float,
    previous_arousal: float = 0.0,
    weights: DriverWeights | None = None,
) -> float:
    """Return the driver bias of the present emotion (Eq. 13).

    d_bias^t = omega_P P^t + omega_D D^t + omega_A (1 - |A^t - A^(t-1)|): pleasure and dominance are to be high, arousal
    is to be steady.

    Args:
        pleasure: P^t in (-1, 1).
        arousal: A^t in (-1, 1).
        dominance: D^t in (-1, 1).
        previous_arousal: A^(t-1) in (-1, 1); 0 before the first step.
        weights: omega_P, omega_A, omega_D; the defaults of DriverWeights when None.

    Returns:
        A value in [-1, 1].

    Raises:
        ValueError: if an emotion lies outside (-1, 1).
    """
    weights = weights or DriverWeights()
    steadiness = 1.0 - abs(check_emotion("arousal", arousal) - check_emotion("previous_arousal", previous_arousal))
    bias = (
        weights.pleasure * check_emotion("pleasure", pleasure)
        + weights.dominance * check_emotion("dominance", dominance)
        + weights.arousal * steadiness
    )
    return min(max(bias, -1.0), 1.0)  # the weights sum to 1 only up to rounding


def demand(bias: float, previous_bias: float) -> float:
    """Return the demand Ne, the change of the driver bias (Eq. 14), Ne = |d_bias^t - d_bias^(t-1)| / 2.

    A resident that has settled in a local optimum has the same bias step after step; then Ne is 0 and the driver stays.

    Args:
        bias: d_bias^t in [-1, 1].
        previous_bias: d_bias^(t-1) in [-1, 1]; 0 before the first step.

    Returns:
        A value in [0, 1].

    Raises:
        ValueError: if a bias lies outside [-1, 1].
    """
    remedy = "use driver_bias to compute it"
    return (
        abs(
            check_range("bias", bias, -1.0, 1.0, remedy)
            - check_range("previous_bias", previous_bias, -1.0, 1.0, remedy)
        )
        / 2.0
    )


def driver(previous: float, demand: float, bias: float) -> float:
    """Return the driver (Eq. 15), d^t = d^(t-1) + Ne d_bias^t.

    Args:
        previous: d^(t-1), finite; 0 before the first step.
        demand: Ne in [0, 1].
        bias: d_bias^t in [-1, 1].

    Returns:
        d^t, unbounded.

    Raises:
        ValueError: if a value lies outside its range.
    """
    change = check_range("demand", demand, 0.0, 1.0, "use demand() to compute it")
    return check_finite("previous", previous) + change * check_range("bias", bias, -1.0, 1.0, "use driver_bias")


def itcma_driver(
    previous: float, pleasure: float, arousal: float, dominance: float, weights: DriverWeights | None = None
) -> float:
    """Return the driver of ITCMA, which ITCMA-S replaces: d^t = d^(t-1) + weighted sum of P, A, D (section 3.3).

    Args:
        previous: d^(t-1), finite; 0 before the first step.
        pleasure: P^t in (-1, 1).
        arousal: A^t in (-1, 1).
        dominance: D^t in (-1, 1).
        weights: omega_P, omega_A, omega_D; the defaults of DriverWeights when None.

    Returns:
        d^t, unbounded.

    Raises:
        ValueError: if an emotion lies outside (-1, 1), or the driver before is not finite.
    """
    weights = weights or DriverWeights()
    return (
        check_finite("previous", previous)
        + weights.pleasure * check_emotion("pleasure", pleasure)
        + weights.arousal * check_emotion("arousal", arousal)
        + weights.dominance * check_emotion("dominance", dominance)
    )
