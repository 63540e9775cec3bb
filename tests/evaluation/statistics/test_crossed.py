"""The mixed model with crossed random effects: against R, whole matrices, and what is known to be true."""

import numpy as np
import pandas as pd
import pytest

from evaluation.statistics import anova, mixed_model, ordinal_model
from evaluation.statistics.cross_products import CrossProducts
from evaluation.statistics.crossed import BoundaryError, _deviance, fit_crossed

NAMES = ["itcma", "ltrha", "driver"]


def balanced(seed, *, raters=12, architectures=3, residents=5, trajectory=0.6, effect=0.0):
    """Opinions, shape (rater, architecture, resident), of which trajectories have their share."""
    rng = np.random.default_rng(seed)
    k, t = architectures, residents
    return (
        4
        + effect * np.arange(k)[:, None]
        + 0.6 * rng.normal(size=(raters, 1, 1))
        + 0.4 * rng.normal(size=(raters, k, 1))
        + trajectory * rng.normal(size=(k, t))
        + rng.normal(size=(raters, k, t))
    )


def table(felt, names=NAMES):
    rows = [
        (f"r{rater}", f"{names[a]}-0", names[a], f"p{resident}", "exploration", value)
        for (rater, a, resident), value in np.ndenumerate(felt)
    ]
    return pd.DataFrame(rows, columns=["rater", "run", "architecture", "resident", "dimension", "rating"])


# lme4's and afex's public data sets. obk.long (O'Brien and Kaiser 1985): 16 people, three phases of five hours each.
OBK = """
1 2 4 2 1 3 2 5 3 2 2 3 2 4 4
4 4 5 3 4 2 2 3 5 3 4 5 6 4 1
5 6 5 7 7 4 5 7 5 4 7 6 9 7 6
5 4 7 5 4 2 2 3 5 3 4 4 5 3 4
3 4 6 4 3 6 7 8 6 3 4 3 6 4 3
7 8 7 9 9 9 9 10 8 9 9 10 11 9 6
5 5 6 4 5 7 7 8 10 8 8 9 11 9 8
2 3 5 3 2 2 4 8 6 5 6 6 7 5 6
3 3 4 6 4 4 5 6 4 1 5 4 7 5 4
4 4 5 3 4 6 7 6 8 8 8 8 9 7 8
3 3 4 2 3 5 4 7 5 4 5 6 8 6 5
6 7 8 6 3 9 10 11 9 6 8 7 10 8 7
5 5 6 8 6 4 6 6 8 6 7 7 8 10 8
2 2 3 1 2 5 6 7 5 2 6 7 8 6 3
2 2 3 4 4 6 6 7 9 7 7 7 8 6 7
4 5 7 5 4 7 7 8 6 7 7 8 10 8 7
"""
TREATMENTS = ["control"] * 5 + ["A"] * 4 + ["B"] * 7
# ordinal's wine (Randall 1989): the ratings of eight bottles by nine judges, the first four bottles cold.
WINE = ["23344455", "12132354", "23325544", "32323253", "23433333", "32322454", "11222323", "22233334", "12323244"]


def public(design):
    """Return ratings of a public data set; with a 7 at the end without every seventh."""
    if design == "wine":
        rows = [
            (f"r{judge}", ["cold", "warm"][bottle // 4], f"b{bottle}", "one", int(value))
            for judge, values in enumerate(WINE)
            for bottle, value in enumerate(values)
        ]
    else:
        cells = [
            (person, f"phase {at // 5}", f"hour {at % 5}", int(value))
            for person, line in enumerate(OBK.strip().splitlines())
            for at, value in enumerate(line.split())
        ]
        named = {
            "phase": lambda _, phase, hour: (phase, hour),
            "hour": lambda _, phase, hour: (hour, phase),
            "treatment": lambda person, phase, _: (TREATMENTS[person], phase),
        }[design.removesuffix("7")]
        parts = [(f"r{person}", *named(person, phase, hour), value) for person, phase, hour, value in cells]
        rows = [(rater, a, "one", resident, value) for rater, a, resident, value in parts]
    frame = pd.DataFrame(rows, columns=["rater", "architecture", "run", "resident", "rating"])
    return frame[(np.arange(len(frame)) + 1) % 7 != 0] if design.endswith("7") else frame


# R 4.2.2, lme4 1.1.31, pbkrtest 0.5.2; d has the columns of the frame, and factors of their combinations:
#   m <- lmer(rating ~ 0 + architecture + (1|rater) + (1|rater:architecture) + (1|architecture:run) +
#             (1|architecture:run:resident), d)                     # what the data cannot tell apart left out
#   KRmodcomp(m, diff(diag(k)))$stats                               # Fstat, ddf, p.value
#   v <- c(1, -1, rep(0, k - 2)); sqrt(v %*% vcovAdj(m) %*% v); get_Lb_ddf(m, v)
@pytest.mark.parametrize(
    ("design", "expected"),
    [
        ("phase", [5.845288928, 22.71037783, 0.00895643992, 0.5984934761, 22.71037783]),
        # The variance of rater by architecture is 0. L-BFGS-B ends on a slope here, with F = 3.80 and p = .040.
        ("hour", [1.48798417, 9.977850651, 0.2775647593, 0.8626106912, 9.977850651]),
        ("treatment", [1.442419789, 14.92815137, 0.2674701825, 1.351326834, 15.86221565]),
        ("phase7", [6.638489482, 27.24068364, 0.004482225996, 0.5895195247, 27.218815]),
        ("hour7", [1.206271994, 9.960152702, 0.3670897567, 0.8899420137, 9.981702083]),
        ("treatment7", [1.554865432, 14.46985144, 0.2445270846, 1.348845339, 15.41985577]),
        ("wine", [14.42944758, 6.286257976, 0.008229391846, 0.307129786, 6.286257976]),
    ],
)
def test_tests_and_standard_errors_are_those_of_pbkrtest(design, expected):
    ratings = public(design)
    found = mixed_model(ratings, list(dict.fromkeys(ratings["architecture"])))
    first = found["pairs"].iloc[0]
    assert found["converged"]
    values = [found["f"], found["df2"], found["p"], first["se"], first["df"]]
    assert values == pytest.approx(expected, rel=3e-6)


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        ("phase", [6.161683616, 24.90136859, 0.006698936211]),
        ("hour7", [1.02219726, 9.958878104, 0.441725197]),
        ("wine", [15.52417493, 5.38325598, 0.009464960341]),
    ],
)
def test_the_model_of_ranks_is_that_of_r(design, expected):
    """As above, of rank(d$rating) / nrow(d)."""
    ratings = public(design)
    found = ordinal_model(ratings, list(dict.fromkeys(ratings["architecture"])))
    assert [found["f"], found["df2"], found["p"]] == pytest.approx(expected, rel=3e-6)


def test_the_search_ends_where_the_deviance_has_no_slope():
    """Of some hundred designs whose variances differ by orders of magnitude, every one is searched to its end."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        raters, groups, residents = rng.integers(4, 12), rng.integers(2, 5), rng.integers(2, 5)
        rater, a, resident = (axis.ravel() for axis in np.indices((raters, groups, residents)))
        codes = {"rater": rater, "taste": rater * groups + a, "trajectory": a * residents + resident}
        sizes = 10.0 ** rng.uniform(-2, 1.5, 3)
        y = rng.normal(size=len(a)) + sum(
            size * rng.normal(size=one.max() + 1)[one] for size, one in zip(sizes, codes.values(), strict=True)
        )
        fit = fit_crossed(y, np.eye(groups)[a], codes)
        ratios = np.array(list(fit.variances.values())) / fit.residual
        slopes = _deviance(CrossProducts(y, np.eye(groups)[a], codes), ratios)[1]
        assert fit.converged
        assert (slopes * ratios < 0.01).all()
        assert (slopes[ratios < 1] > -0.1).all()


def test_a_constant_added_to_all_ratings_changes_the_means_alone():
    rater, group = (axis.ravel() for axis in np.indices((6, 4)))
    y = np.random.default_rng(3).normal(size=len(rater)) + rater
    fit, moved = (fit_crossed(one, np.eye(4)[group], {"rater": rater}) for one in (y, y + 1e5))
    assert moved.means == pytest.approx(fit.means + 1e5, rel=1e-12)
    assert [*moved.variances.values(), moved.residual] == pytest.approx([*fit.variances.values(), fit.residual])
    assert moved.covariance == pytest.approx(fit.covariance)
    with pytest.raises(BoundaryError, match="residuals"):
        fit_crossed(np.full(len(y), 0.1), np.eye(4)[group], {"rater": rater})


def test_runs_count_where_there_are_several():
    frame = table(balanced(2, residents=6))
    frame["run"] = frame["architecture"] + "-" + frame["resident"].str[1].astype(int).mod(2).astype(str)
    found = mixed_model(frame, NAMES)
    assert found["sd_run"] is not None
    assert found["df2"] < 20
    notes = anova(frame.assign(rating=frame["rating"].round().clip(1, 7))).results[0].notes
    assert "runs and trajectories rated: itcma 2 and 6, ltrha 2 and 6, driver 2 and 6" in notes
    assert not any(note.startswith("one run") for note in notes)
    (one,) = anova(table(balanced(2).round().clip(1, 7))).results
    assert any(note.startswith("one run per architecture") for note in one.notes)
    assert one.to_json()["rated"][0] == {"architecture": "itcma", "runs": 1, "trajectories": 5}


def test_the_ordinal_model_asks_for_the_order_of_points_alone():
    frame = table(balanced(4, raters=16, trajectory=1.0).round().clip(1, 7))
    stretched = frame.assign(rating=frame["rating"] ** 3)
    found, same = ordinal_model(frame, NAMES), ordinal_model(stretched, NAMES)
    assert found["p"] == same["p"]
    assert mixed_model(frame, NAMES)["p"] != mixed_model(stretched, NAMES)["p"]
    # Many raters of a few trajectories know no more of architectures: the degrees of freedom are those of trajectories.
    assert found["df2"] < 20


def test_effects_within_and_across_each_other_are_those_of_the_whole_covariance():
    """Every part of the fit, in an unbalanced design with all four effects, from n x n matrices."""
    rng = np.random.default_rng(5)
    rater, a, run, resident = (axis.ravel() for axis in np.indices((6, 3, 2, 3)))
    kept = rng.random(len(rater)) < 0.7
    rater, a, run, resident = (one[kept] for one in (rater, a, run, resident))
    levels = [rater, rater * 3 + a, a * 2 + run, (a * 2 + run) * 3 + resident]
    codes = [np.unique(one, return_inverse=True)[1] for one in levels]
    y = sum(0.5 * rng.normal(size=one.max() + 1)[one] for one in codes) + rng.normal(size=len(rater))
    design = np.eye(3)[a]
    fit = fit_crossed(y, design, dict(zip("abcd", codes, strict=True)))
    parts = [np.equal.outer(one, one).astype(float) for one in codes] + [np.eye(len(y))]
    variances = [*fit.variances.values(), fit.residual]
    inverse = np.linalg.inv(sum(size * part for size, part in zip(variances, parts, strict=True)))
    covariance = np.linalg.inv(design.T @ inverse @ design)
    assert fit.plain_covariance == pytest.approx(covariance, rel=1e-8)
    assert fit.means == pytest.approx(covariance @ design.T @ inverse @ y, rel=1e-8)
    p = inverse - inverse @ design @ covariance @ design.T @ inverse
    information = np.array([[np.trace(p @ one @ p @ other) / 2 for other in parts] for one in parts])
    assert fit.uncertainty == pytest.approx(np.linalg.pinv(information, hermitian=True), rel=1e-6, abs=1e-9)
    changes = [covariance @ design.T @ inverse @ one @ inverse @ design @ covariance for one in parts]
    assert fit.changes == pytest.approx(np.array(changes), rel=1e-7, abs=1e-12)
    # Kenward and Roger 1997, equation 4, with the second derivatives of a covariance that is linear in the variances.
    half = [inverse @ one @ inverse @ design for one in parts]
    products = [[a.T @ np.linalg.solve(inverse, b) for b in half] for a in half]
    squares = [design.T @ one for one in half]
    correction = sum(
        fit.uncertainty[i, j] * (products[i][j] - squares[i] @ covariance @ squares[j])
        for i in range(5)
        for j in range(5)
    )
    adjusted = covariance + 2 * covariance @ correction @ covariance
    assert fit.covariance == pytest.approx(adjusted, rel=1e-6)


def test_too_few_raters_have_no_test():
    (result,) = anova(table(balanced(0, raters=3).round().clip(1, 7))).results
    assert result.mixed_model is result.ordinal_model is result.lead.test is None
    assert result.lead.pairs.empty
    assert any("there are 3 raters" in note for note in result.notes)


def test_a_variance_at_its_boundary_is_said():
    (result,) = anova(table(balanced(1, trajectory=0.0).round().clip(1, 7))).results
    assert result.mixed_model["note"].endswith("boundary of 0")
    assert f"the mixed model: {result.mixed_model['note']}" in result.notes


def test_nothing_left_for_the_residuals_is_no_fit():
    rater, group = (axis.ravel() for axis in np.indices((6, 4)))
    with pytest.raises(BoundaryError, match="residuals"):
        fit_crossed(1.0 * rater + group, np.eye(4)[group], {"rater": rater})
    rater, group, _ = np.indices((6, 3, 3))
    (result,) = anova(table(2 + rater % 3 + (group == 1))).results
    assert result.mixed_model is None
    assert any("cannot be fitted" in note for note in result.notes)
