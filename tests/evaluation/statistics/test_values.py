"""The numbers: against independent implementations, certified values and tables worked by hand."""

import warnings

import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.formula.api as smf
from made_up_ratings import one_each
from scipy import stats
from sklearn.datasets import load_iris

from evaluation.rating.rating_scale import DIMENSIONS
from evaluation.statistics import (
    alpha,
    describe,
    dunn_sidak,
    games_howell,
    icc,
    levene,
    omega_squared,
    omnibus,
    paper_anova,
    paper_table,
    power,
)
from evaluation.statistics.pairs import _studentized_range, hedges_g

EXACT = {"rel": 1e-8, "abs": 1e-12}
SIZES = [(9, 31, 14, 22, 5), (40, 7, 18)]


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(expected, float), rtol=1e-8, atol=1e-12)


def frame_of(groups):
    """Groups of numbers as a frame of ratings."""
    parts = [pd.DataFrame({"architecture": name, "rating": values}) for name, values in groups.items()]
    return pd.concat(parts, ignore_index=True).assign(dimension="exploration")


@pytest.fixture(params=SIZES, ids=str)
def ratings(request):
    return one_each(request.param)


def samples(ratings):
    groups = describe(ratings)
    return groups, [ratings.loc[ratings["architecture"] == name, "rating"] for name in groups["architecture"]]


def test_descriptives_are_scipys(ratings):
    groups, values = samples(ratings)
    close(groups["mean"], [np.mean(one) for one in values])
    close(groups["se"], [stats.sem(one) for one in values])
    intervals = [stats.t.interval(0.95, len(one) - 1, np.mean(one), stats.sem(one)) for one in values]
    close(groups[["low", "high"]], intervals)


def test_levene_is_pingouins_around_the_mean(ratings):
    found = levene(ratings)
    expected = pingouin.homoscedasticity(ratings, dv="rating", group="architecture", method="levene", center="mean")
    close([found["statistic"], found["p"]], expected[["W", "pval"]].iloc[0])
    assert (found["df1"], found["df2"]) == (ratings["architecture"].nunique() - 1, len(ratings) - found["df1"] - 1)


def test_levene_says_nothing_of_groups_of_two():
    pairs = pd.DataFrame({"architecture": list("aabbcc"), "rating": [1, 6, 3.3, 4.1, 4, 4]})
    found = levene(pairs)
    assert np.isnan([found["statistic"], found["p"]]).all()
    more = pd.concat([pairs, pd.DataFrame({"architecture": ["a"], "rating": [2]})])
    assert np.isfinite(levene(more)["p"])


def test_anova_and_welch_are_those_of_scipy_and_pingouin(ratings):
    groups, values = samples(ratings)
    found = omnibus(groups)
    close(found.loc["anova", ["statistic", "p"]], stats.f_oneway(*values))
    close(found.loc["welch", ["statistic", "p"]], stats.f_oneway(*values, equal_var=False))
    welch = pingouin.welch_anova(ratings, dv="rating", between="architecture").iloc[0]
    close(found.loc["welch"], [welch["F"], welch["ddof1"], welch["ddof2"], welch["p_unc"]])


def test_brown_forsythe_by_its_definition(ratings):
    """Brown and Forsythe 1974: between-groups sum of squares over the sum of (1 - n_i / N) s_i^2."""
    _, values = samples(ratings)
    n = np.array([len(one) for one in values])
    means, variances = np.array([(one.mean(), one.var(ddof=1)) for one in values]).T
    total = np.concatenate(values).mean()
    parts = (1 - n / n.sum()) * variances
    statistic = (n * (means - total) ** 2).sum() / parts.sum()
    df2 = 1 / (((parts / parts.sum()) ** 2) / (n - 1)).sum()
    p = stats.f.sf(statistic, len(n) - 1, df2)
    close(omnibus(describe(ratings)).loc["brown-forsythe"], [statistic, len(n) - 1, df2, p])


def test_dunn_sidak_is_that_of_a_linear_model(ratings):
    found = dunn_sidak(describe(ratings))
    model = smf.ols("rating ~ 0 + C(architecture)", ratings).fit()
    names = sorted(ratings["architecture"].unique())
    for row in found.to_dict("records"):
        contrast = np.array([(name == row["a"]) - float(name == row["b"]) for name in names])
        test = model.t_test(contrast)
        adjusted = -np.expm1(len(found) * np.log1p(-float(test.pvalue)))
        close([row["difference"], row["se"], row["statistic"]], [test.effect[0], test.sd[0, 0], test.tvalue[0, 0]])
        close(row["p"], adjusted)
        close([row["low"], row["high"]], test.conf_int(alpha=1 - 0.95 ** (1 / len(found)))[0])


def test_games_howell_is_that_of_pingouin_and_scipy(ratings):
    groups, values = samples(ratings)
    found = games_howell(groups)
    theirs = pingouin.pairwise_gameshowell(ratings, dv="rating", between="architecture").set_index(["A", "B"])
    names = list(groups["architecture"])
    interval = stats.tukey_hsd(*values, equal_var=False).confidence_interval(0.95) if len(names) == 3 else None  # Slow.
    for row in found.to_dict("records"):
        same = (row["a"], row["b"]) in theirs.index
        one = theirs.loc[(row["a"], row["b"]) if same else (row["b"], row["a"])]
        sign = 1 if same else -1
        close([row["difference"], row["statistic"]], sign * one[["diff", "T"]].to_numpy(float))
        close([row["se"], row["df"]], one[["se", "df"]])
        assert row["p"] == pytest.approx(one["pval"], rel=1e-8, abs=1e-11)
        if interval is not None:
            i, j = names.index(row["a"]), names.index(row["b"])
            close([row["low"], row["high"]], [interval.low[i, j], interval.high[i, j]])
        margin = stats.studentized_range.cdf(
            (row["high"] - row["difference"]) / row["se"] * np.sqrt(2), len(names), row["df"]
        )
        assert margin == pytest.approx(0.95, abs=1e-9)


# R 4.2.2, effectsize 0.8.3: hedges_g(x, y, pooled_sd = TRUE or FALSE) of
#   x <- c(5,6,7,4,6,5,7,6); y <- c(3,4,2,5,4,1,3,6,4,2,5,4); z <- c(3,3.1,2.9,3,3,3.2,2.8,3)
X, Y, Z = [5, 6, 7, 4, 6, 5, 7, 6], [3, 4, 2, 5, 4, 1, 3, 6, 4, 2, 5, 4], [3, 3.1, 2.9, 3, 3, 3.2, 2.8, 3]


@pytest.mark.parametrize(
    ("other", "pooled", "expected"),
    [
        (Y, True, [1.59616483227, 0.579011854366, 2.5808710525]),
        (Y, False, [1.65139350544, 0.647377353292, 2.62285967856]),
        (Z, True, [3.52820601412, 1.91623799441, 5.09762093629]),
        (Z, False, [3.32643348028, 1.41210278691, 5.20137108983]),
    ],
)
def test_hedges_g_and_its_interval_are_those_of_effectsize(other, pooled, expected):
    groups = describe(frame_of({"a": X, "b": other}))
    row = (dunn_sidak if pooled else games_howell)(groups).iloc[0]
    assert [row["hedges_g"], row["hedges_g_low"], row["hedges_g_high"]] == pytest.approx(expected, rel=1e-6)
    reverse = hedges_g(*groups.to_dict("records")[::-1], pooled=pooled)
    assert reverse == pytest.approx([-expected[0], -expected[2], -expected[1]], rel=1e-6)


@pytest.mark.parametrize("mean", [0.0, 1.0, 100.0, 4000.0])
@pytest.mark.parametrize(("sd", "n"), [(0.5, 48), (0.1, 2), (0.0, 2)])
def test_the_limits_of_hedges_g_hold_it_whatever_the_groups(mean, sd, n):
    for pooled in (True, False):
        g, low, high = hedges_g({"mean": mean, "sd": 0.5, "n": n}, {"mean": 0.0, "sd": sd, "n": n}, pooled=pooled)
        assert low <= g <= high


def test_omega_squared_by_sums_of_squares_and_the_noncentral_f(ratings):
    found = omega_squared(describe(ratings))
    table = pingouin.anova(ratings, dv="rating", between="architecture", detailed=True)
    between, within = table["SS"]
    df1, df2 = table["DF"]
    error = within / df2
    close(found["omega_squared"], (between - df1 * error) / (between + within + error))
    statistic, n = table["F"].iloc[0], df1 + df2 + 1
    # At either limit of the population's share, the F found lies 2.5 per cent from an end of its distribution.
    for share, tail in ((found["low"], stats.ncf.sf), (found["high"], stats.ncf.cdf)):
        assert tail(statistic, df1, df2, n * share / (1 - share)) == pytest.approx(0.025, rel=1e-8)


def test_certified_values_of_nist():
    """Dataset SiRstv of the NIST Statistical Reference Datasets: F = 1.18046237440255 (certified)."""
    rows = """196.3052 196.1240 196.1890 196.2569 196.3403
    196.3042 196.3825 196.1669 196.3257 196.0422
    196.1303 196.2005 196.2889 196.0343 196.1811
    196.2795 196.1748 196.1494 196.1485 195.9885
    196.2119 196.1051 196.1850 196.0052 196.2090"""
    groups = describe(frame_of({f"g{i}": list(map(float, row.split())) for i, row in enumerate(rows.splitlines())}))
    assert omnibus(groups).loc["anova", "statistic"] == pytest.approx(1.18046237440255, rel=1e-9)


def test_published_by_r():
    """Dag, Dolgun and Konar, onewaytests, The R Journal 10 (2018): bf.test and welch.test of iris sepal lengths."""
    iris = load_iris()
    found = omnibus(describe(frame_of({name: iris.data[iris.target == i, 0] for i, name in enumerate("abc")})))
    expected = {"brown-forsythe": [119.2645, 2, 123.9255, 1.317059e-29], "welch": [138.9083, 2, 92.21115, 1.505059e-28]}
    for test, values in expected.items():
        np.testing.assert_allclose(found.loc[test], values, rtol=5e-7)


def rated_by(raters):
    """Ratings from the ratings that each rater gave to each resident; a dot for none."""
    rows = [
        {"architecture": "a", "run": "1", "resident": str(unit), "rater": str(rater), "rating": int(value)}
        for rater, values in enumerate(raters)
        for unit, value in enumerate(values)
        if value != "."
    ]
    return pd.DataFrame(rows)


def test_shrout_and_fleiss():
    """Shrout and Fleiss 1979, table 4: the six forms for four judges of six targets."""
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    found = icc(rated_by(np.array(table).T)).set_index("type")["icc"].round(2)
    forms = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")
    assert found.to_dict() == dict(zip(forms, (0.17, 0.29, 0.71, 0.44, 0.62, 0.91), strict=True))


def test_krippendorffs_own_example():
    """K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: ordinal alpha .815."""
    raters = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    assert alpha(rated_by(line.split() for line in raters)) == pytest.approx(0.815, abs=5e-4)


def test_table_1():
    # Groups of one size: F and F* are the same number with different degrees of freedom.
    found = {name: omnibus(groups)["statistic"].round(1) for name, groups in paper_table().groupby("dimension")}
    expected = (("personification", 38.0), ("consistency", 31.6), ("logicality", 32.0), ("exploration", 34.2))
    assert {name: tests["anova"] for name, tests in found.items()} == {**dict(expected), "proactiveness": 32.6}
    assert all(tests["brown-forsythe"] == tests["anova"] < tests["welch"] for tests in found.values())


def test_the_summary_begins_with_a_line_for_each_dimension():
    head, first, *_ = paper_anova().summary().split("\n\n")
    assert [line.split()[0] for line in head.splitlines()] == list(DIMENSIONS)
    assert "F(4, 235) = 34.22, p < .001; pairs not found to differ: ltrha and itcma-s" in head.splitlines()[3]
    assert first.startswith("PERSONIFICATION")


def test_power_is_that_of_published_tables():
    """Cohen 1988, table 8.4.4 and G*Power: f = .25, five groups, power .8 need 40 a group (39.15)."""
    n, share = 1000, 0.25**2 / (1 + 0.25**2)
    # Groups of a study with exactly this omega squared: F = 1 + N * share / (1 - share) / df1.
    means = np.array([-2, -1, 0, 1, 2.0])
    wanted = 1 + 5 * n * share / (1 - share) / 4
    scale = np.sqrt(wanted * 4 / (n * (means**2).sum()))
    groups = pd.DataFrame({"architecture": list("abcde"), "n": n, "mean": 4 + scale * means, "sd": 1.0})
    close(omega_squared(groups)["omega_squared"], share)
    found = power(groups, 40)
    assert found["needed"] == 40
    assert 0.8 <= found["power"] < 0.82
    assert found["power_low"] < found["power"]
    assert found["needed_low"] > 40


@pytest.mark.parametrize(("k", "df"), [(2, 1.0), (5, 3.2), (5, 4000.0)])
def test_critical_values_are_scipys(k, df):
    found = _studentized_range(k, np.array([df, np.nan]))
    assert found[0] == pytest.approx(stats.studentized_range.ppf(0.95, k, df), rel=1e-9)
    assert np.isnan(found[1])


def pair_of(mean, sd, n=8):
    return pd.DataFrame({"architecture": ["a", "b"], "n": n, "mean": mean, "sd": sd})


def test_extremes_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dunn_sidak(pair_of([4.0, 4.0], 1.0))["p"][0] == 1
        assert 0 < dunn_sidak(pair_of([1.5, 6.5], 0.5, 48))["p"][0] < 1e-60
        none, whole = omega_squared(pair_of([4.0, 4.01], 1.0)), omega_squared(pair_of([3.0, 5.0], 0.0, 2))
        assert (none["omega_squared"], none["low"]) == (0, 0)
        assert (whole["low"], whole["high"]) == (1, 1)
        games_howell(describe(one_each((9, 31, 14))))
