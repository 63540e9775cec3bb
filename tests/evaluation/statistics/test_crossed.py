"""The mixed model with crossed random effects: against mean squares, statsmodels, and what is known to be true."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

from evaluation.statistics import anova, mixed_model, ordinal_model
from evaluation.statistics.crossed import BoundaryError, fit_crossed

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


def quasi_f(felt):
    """The quasi-F of mean squares (Clark 1973; Winer 1971) with Satterthwaite's degrees of freedom, worked by hand."""
    n, k, t = felt.shape
    mean, of_a = felt.mean(), felt.mean((0, 2))
    of_t, of_ra = felt.mean(0), felt.mean(2)
    between = n * t * ((of_a - mean) ** 2).sum() / (k - 1)
    df_t, df_ra, df_e = k * (t - 1), (n - 1) * (k - 1), (n - 1) * k * (t - 1)
    trajectories = n * ((of_t - of_a[:, None]) ** 2).sum() / df_t
    tastes = t * ((of_ra - of_ra.mean(1, keepdims=True) - of_a + mean) ** 2).sum() / df_ra
    left = ((felt - of_t - of_ra[:, :, None] + of_a[:, None]) ** 2).sum() / df_e
    error = trajectories + tastes - left
    df = error**2 / (trajectories**2 / df_t + tastes**2 / df_ra + left**2 / df_e)
    return between / error, df, np.sqrt([(trajectories - left) / n, (tastes - left) / t, left])


def test_a_balanced_study_is_the_quasi_f_of_its_mean_squares():
    felt = balanced(3, effect=0.3)
    statistic, df, sds = quasi_f(felt)
    found = mixed_model(table(felt), NAMES)
    assert found["converged"]
    assert found["f"] == pytest.approx(statistic, rel=1e-5)
    assert found["df2"] == pytest.approx(df, rel=1e-5)
    assert found["statistic"] == pytest.approx(2 * statistic, rel=1e-5)
    assert found["p"] == pytest.approx(stats.f.sf(statistic, 2, df), rel=1e-4)
    spreads = [found[key] for key in ("sd_trajectory", "sd_rater_architecture", "sd_residual")]
    assert spreads == pytest.approx(sds, rel=1e-4)
    assert found["sd_run"] is None
    assert list(found["pairs"]["df"]) == pytest.approx([df] * 3, rel=1e-5)


def test_unequal_groups_are_fitted_as_statsmodels_fits_them():
    frame = table(balanced(8, raters=8, residents=3, effect=0.3)).sample(frac=0.8, random_state=1)
    found = mixed_model(frame, NAMES)
    taste, trajectory = frame["rater"] + frame["architecture"], frame["architecture"] + frame["resident"]
    frame = frame.assign(one=1, taste=taste, trajectory=trajectory)
    parts = {"rater": "0 + C(rater)", "taste": "0 + C(taste)", "trajectory": "0 + C(trajectory)"}
    formula = "rating ~ 0 + C(architecture, levels=NAMES)"
    model = MixedLM.from_formula(formula, frame, groups="one", re_formula="0", vc_formula=parts)
    theirs = model.fit(method=["lbfgs"])
    ours = [found[f"sd_{name}"] ** 2 for name in ("rater", "rater_architecture", "trajectory")]
    named = dict(zip(model.exog_vc.names, theirs.vcomp, strict=True))
    assert ours == pytest.approx([named[name] for name in parts], abs=2e-3)
    assert found["sd_residual"] ** 2 == pytest.approx(theirs.scale, rel=2e-3)
    means = np.asarray(theirs.fe_params)
    differences = [means[0] - means[1], means[0] - means[2], means[1] - means[2]]
    assert list(found["pairs"]["difference"]) == pytest.approx(differences, abs=2e-3)


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
    assert fit.covariance == pytest.approx(covariance, rel=1e-8)
    assert fit.means == pytest.approx(covariance @ design.T @ inverse @ y, rel=1e-8)
    p = inverse - inverse @ design @ covariance @ design.T @ inverse
    information = np.array([[np.trace(p @ one @ p @ other) / 2 for other in parts] for one in parts])
    assert fit.uncertainty == pytest.approx(np.linalg.pinv(information, hermitian=True), rel=1e-6, abs=1e-9)
    changes = [covariance @ design.T @ inverse @ one @ inverse @ design @ covariance for one in parts]
    assert fit.changes == pytest.approx(np.array(changes), rel=1e-7, abs=1e-12)


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
