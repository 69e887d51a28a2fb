#pragma once
/// \file
/// Shows under the AM ratio slider what the selected ratio would cost before it is applied: its
/// predicted output error next to that of the active ratio. Otherwise states that the text is too
/// short, or that nothing is measured yet and how to measure it. GUI thread.

#include <QWidget>

class QLabel;

namespace lacuna::app {
class ConfigController;
class PreviewController;
}  // namespace lacuna::app

namespace lacuna::ui {

class PredictedLossLabel final : public QWidget {
    Q_OBJECT

  public:
    PredictedLossLabel(app::PreviewController& preview, app::ConfigController& config,
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
