#pragma once
/// \file
/// Between chat and prompt: how full the context is, how far the prompt is read, how fast text
/// comes, and whether compression is active or idle and why. Never silent: every figure has words.

#include <QWidget>
#include <optional>

#include "app/state/view_types.h"

class QLabel;

namespace lacuna::ui {

class ThemeSource;

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

class ContextStrip final : public QWidget {
    Q_OBJECT

  public:
    explicit ContextStrip(const ThemeSource& themes, QWidget* parent = nullptr);
    void show(const app::EngineView& engine, const std::optional<app::PrefillView>& prefill);

  private:
    ContextMeter* m_meter;
    QLabel* m_context;
    QLabel* m_activity;
    QLabel* m_compression;
};

}  // namespace lacuna::ui
