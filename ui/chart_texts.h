#pragma once
/// \file
/// Words of charts, translated.

#include <QCoreApplication>

namespace lacuna::ui {

struct ChartTexts {
    Q_DECLARE_TR_FUNCTIONS(Charts)
};

}  // namespace lacuna::ui
