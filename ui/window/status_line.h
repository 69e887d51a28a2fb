#pragma once
/// \file
/// State of the engine as text: the strip between chat and prompt. GUI thread.

#include <QStringList>
#include <QWidget>
#include <optional>

#include "app/state/view_types.h"

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
/// speed, and figures of a remote engine. Every figure is labelled.
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
    void fit();

    app::EngineView m_engine;
    std::optional<qint64> m_question;
    ContextMeter* m_meter;
    ElidingLabel* m_context;
    ElidingLabel* m_activity;
    ElidingLabel* m_remote;  ///< figures of the remote engine
};

}  // namespace lacuna::ui
