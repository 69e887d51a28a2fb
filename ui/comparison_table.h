#pragma once
/// \file
/// A comparison of two settings as rows of figures, and where the two answers part. Pure functions.

#include "app/state/measure_views.h"
#include "ui/chart_content.h"

namespace lacuna::ui {

/// Figure | A | B | B - A | note. What cannot be said is a dash, with the reason in the note.
[[nodiscard]] ChartTable comparisonTable(const app::ComparisonView& view);
/// "First difference at token 12. A: “ foo”. B: the answer has ended." or "The same 128 tokens."
[[nodiscard]] QString partingSentence(const app::ComparisonView& view);
/// Characters from which the two texts differ; the length of the shorter where one begins the
/// other.
[[nodiscard]] qsizetype commonLength(const QString& a, const QString& b);

}  // namespace lacuna::ui
