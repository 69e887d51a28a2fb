#pragma once
/// \file
/// Shows under the AM ratio slider what the selected ratio would save and cost before it is
/// applied: the size and the loss, coloured like the verdict. The tool tip has the details: the
/// predicted output error next to that of the active ratio, or that nothing is measured yet and how
/// to measure it. GUI thread.

#include <QWidget>

class QLabel;

namespace lacuna::app {
class ConfigController;
class PreviewController;
class SessionFeed;
}  // namespace lacuna::app

namespace lacuna::ui {

class PredictedLossLabel final : public QWidget {
    Q_OBJECT

  public:
    PredictedLossLabel(app::PreviewController& preview, app::ConfigController& config,
                       app::SessionFeed& feed, QWidget* parent = nullptr);
    /// The visible line.
    [[nodiscard]] QString line() const;
    /// The details.
    [[nodiscard]] QString sentence() const { return m_sentence; }

  private:
    void moved();
    void refresh();
    [[nodiscard]] QString unknownText() const;
    [[nodiscard]] QString inEffectText(double asked) const;

    app::PreviewController& m_preview;
    app::ConfigController& m_config;
    app::SessionFeed& m_feed;
    QLabel* m_line;
    QString m_sentence;
};

}  // namespace lacuna::ui
