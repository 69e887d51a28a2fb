#pragma once
/// \file
/// What the AM ratio asked for would cost the text on screen, said under its slider before it is
/// applied: the predicted output error next to that of the ratio in force, why a text is too short,
/// or that it is not measured and how it will be. GUI thread.

#include <QWidget>

class QLabel;

namespace lacuna::app {
class ConfigController;
class PreviewController;
}  // namespace lacuna::app

namespace lacuna::ui {

class DamageLine final : public QWidget {
    Q_OBJECT

  public:
    DamageLine(app::PreviewController& preview, app::ConfigController& config,
               QWidget* parent = nullptr);
    [[nodiscard]] QString sentence() const;

  private:
    void moved();
    void refresh();
    [[nodiscard]] QString unknownText() const;
    [[nodiscard]] QString inForceText(double asked) const;

    app::PreviewController& m_preview;
    app::ConfigController& m_config;
    QLabel* m_sentence = nullptr;
};

}  // namespace lacuna::ui
