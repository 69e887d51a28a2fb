#pragma once
/// \file
/// Translated texts of charts.

#include <QCoreApplication>

namespace lacuna::ui {

struct ChartTexts {
    Q_DECLARE_TR_FUNCTIONS(Charts)
};

}  // namespace lacuna::ui
