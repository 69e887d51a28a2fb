#pragma once
/// \file
/// The status bar: engine state, memory of the process, cache bytes, threads, dropped samples,
/// generation.

#include <QStatusBar>

#include "app/state/view_types.h"

class QLabel;

namespace lacuna::ui {

class StatusLine final : public QStatusBar {
    Q_OBJECT

  public:
    StatusLine(const app::MachineView& machine, QWidget* parent);
    void show(const app::EngineView& engine);
    /// `conversations` are not on disk because of `problem`, a sentence; empty: nothing to say.
    void showKeeping(int conversations, const QString& problem);

  private:
    QLabel* field(const QString& name, const QString& tooltip);

    const app::MachineView m_machine;
    QLabel* m_keeping;
    QLabel* m_activity;
    QLabel* m_memory;
    QLabel* m_cache;
    QLabel* m_threads;
    QLabel* m_drops;
    QLabel* m_revision;
};

}  // namespace lacuna::ui
