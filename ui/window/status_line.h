#pragma once
/// \file
/// State of the engine as text: the strip between chat and prompt, and the status bar. GUI thread.

#include <QSet>
#include <QStatusBar>
#include <QStringList>
#include <QWidget>
#include <optional>

#include "app/state/telemetry/recoding_view.h"
#include "app/state/view_types.h"

class QLabel;

namespace lacuna::ui {

class ThemeSource;
class ElidingLabel;

/// Bar of the context: cached tokens, slots that hold them, and the share of the prompt already
/// read.
class ContextMeter final : public QWidget {
    Q_OBJECT

  public:
    ContextMeter(const ThemeSource& themes, QWidget* parent);
    void show(const app::EngineView& engine, const std::optional<app::PrefillView>& prefill);
    [[nodiscard]] QSize sizeHint() const override { return {160, 10}; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    const ThemeSource& m_themes;
    app::EngineView m_engine;
    std::optional<app::PrefillView> m_prefill;
};

/// Strip between chat and prompt: fill level of the context, progress of the prompt, generation
/// speed, and whether compression is active or idle and why. Every figure is labelled.
class ContextStrip final : public QWidget {
    Q_OBJECT

  public:
    explicit ContextStrip(const ThemeSource& themes, QWidget* parent = nullptr);
    void show(const app::EngineView& engine, const std::optional<app::PrefillView>& prefill);
    /// Sets the token count of the prompt; nullopt if it is unknown or the prompt is empty.
    void showQuestion(std::optional<qint64> tokens);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showContext();
    void showActivity(const QStringList& longestFirst);
    void fit();

    app::EngineView m_engine;
    std::optional<qint64> m_question;
    ContextMeter* m_meter;
    ElidingLabel* m_context;
    ElidingLabel* m_activity;
    ElidingLabel* m_compression;
};

/// The status bar: engine state, process memory, cache bytes, progress of a format change, threads,
/// dropped samples, generation. In a narrow window the last of these are hidden.
class StatusLine final : public QStatusBar {
    Q_OBJECT

  public:
    StatusLine(const app::MachineView& machine, QWidget* parent);
    void show(const app::EngineView& engine);
    void showRecoding(const std::optional<app::RecodingView>& recoding);
    /// Reports that `conversations` are not saved because of `problem`, a sentence; empty: all are
    /// saved.
    void showKeeping(int conversations, const QString& problem);

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QLabel* field(const QString& name, const QString& tooltip);
    /// Shows or hides the label at the next fit(), if there is room.
    void want(QLabel* label, bool wanted);
    void fit();

    const app::MachineView m_machine;
    QLabel* m_keeping;
    QLabel* m_activity;
    QLabel* m_memory;
    QLabel* m_cache;
    QLabel* m_recoding;
    QLabel* m_prefixes;
    QLabel* m_threads;
    QLabel* m_drops;
    QLabel* m_revision;
    QSet<QLabel*> m_wanted;  ///< labels with content; visible as far as they fit
};

}  // namespace lacuna::ui
