#pragma once
/// \file
/// Progress of the current cache's conversion to another number format, a cancel button, and the
/// result of the last conversion. Hidden until the first one. GUI thread.

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::app {
class ConfigController;
class SessionFeed;
}  // namespace lacuna::app

namespace lacuna::ui {

class CacheFormatPanel final : public QFrame {
    Q_OBJECT

  public:
    CacheFormatPanel(app::SessionFeed& feed, app::ConfigController& config,
                     QWidget* parent = nullptr);

    [[nodiscard]] QProgressBar& progress() { return *m_progress; }
    [[nodiscard]] QString text() const;

  private:
    void refresh();
    void cancel();

    app::SessionFeed& m_feed;
    app::ConfigController& m_config;
    QLabel* m_sentence;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
};

}  // namespace lacuna::ui
