// What the window offers beside the chat to choose settings by: the comparison of two and the sweep
// over many. Split from main_window.cpp; both implement ui/main_window.h.

#include "app/state/application_state.h"
#include "app/state/measurement_controller.h"
#include "ui/action_registry.h"
#include "ui/compare_window.h"
#include "ui/main_window.h"
#include "ui/sweep_window.h"

namespace lacuna::ui {

void MainWindow::addMeasuringActions() {
    const auto place = MenuPlace::Session;
    m_actions->addSeparator(place);
    m_actions->add({QStringLiteral("measure.compare"),
                    tr("Compare two settings..."),
                    tr("Answer one question under two settings, side by side."),
                    place,
                    {QKeySequence(QStringLiteral("Ctrl+B"))}},
                   [this] { openCompare(); });
    m_actions->add({QStringLiteral("measure.sweep"),
                    tr("Sweep settings..."),
                    tr("Try methods, ratios and budgets on this conversation and plot what each "
                       "costs and loses."),
                    place,
                    {QKeySequence(QStringLiteral("Ctrl+Shift+B"))}},
                   [this] { openSweep(); });
}

void MainWindow::openCompare() {
    if (m_compare == nullptr) m_compare = new CompareWindow(m_state.measurement(), m_themes, this);
    m_compare->open();
}

void MainWindow::openSweep() {
    if (m_sweep == nullptr)
        m_sweep = new SweepWindow(m_state.measurement(), m_state.config(), m_themes, this);
    m_sweep->open();
}

}  // namespace lacuna::ui
