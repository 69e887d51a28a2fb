#pragma once
/// \file
/// What the engine does, in words: the strip between chat and prompt, and the status bar. GUI
/// thread.

#include <QSet>
#include <QStatusBar>
#include <QStringList>
#include <QWidget>
#include <optional>

#include "app/state/recoding_view.h"
#include "app/state/view_types.h"

class QLabel;

namespace lacuna::ui {

class ThemeSource;
class YieldingLabel;

/// A bar of the context: cached tokens, the slots that really hold them, and the share of the
/// prompt read.
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

/// Between chat and prompt: how full the context is, how far the prompt is read, how fast text
/// comes, and whether compression is active or idle and why. Never silent: every figure has words.
class ContextStrip final : public QWidget {
    Q_OBJECT

  public:
    explicit ContextStrip(const ThemeSource& themes, QWidget* parent = nullptr);
    void show(const app::EngineView& engine, const std::optional<app::PrefillView>& prefill);
    /// Tokens of what stands in the prompt; nothing: not known, or nothing stands there.
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
    YieldingLabel* m_context;
    YieldingLabel* m_activity;
    YieldingLabel* m_compression;
};

/// The status bar: engine state, memory of the process, cache bytes, how far a change of their
/// format is, threads, dropped samples, generation. In a narrow window the last of these give way.
class StatusLine final : public QStatusBar {
    Q_OBJECT

  public:
    StatusLine(const app::MachineView& machine, QWidget* parent);
    void show(const app::EngineView& engine);
    void showRecoding(const std::optional<app::RecodingView>& recoding);
    /// `conversations` are not on disk because of `problem`, a sentence; empty: nothing to say.
    void showKeeping(int conversations, const QString& problem);

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QLabel* field(const QString& name, const QString& tooltip);
    /// Seen from the next fit() on, where there is room.
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
    QSet<QLabel*> m_wanted;  ///< by what is told; those of them are seen that there is room for
};

}  // namespace lacuna::ui
