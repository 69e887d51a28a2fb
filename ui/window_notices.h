#pragma once
/// \file
/// What is said in the notice bar of its own accord: problems at the start and of the model, of
/// keeping conversations and of reports; a method that a setting brought; the steps of the demo.
/// GUI thread.

#include <QObject>
#include <QPointer>
#include <QString>

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class GuidedDemo;
class NoticeBar;
class WindowDialogs;

class WindowNotices final : public QObject {
    Q_OBJECT

  public:
    /// All outlive the notices. `dialogs` ask for another model when one cannot be loaded.
    WindowNotices(app::ApplicationState& state, NoticeBar& bar, WindowDialogs& dialogs);
    /// Says the demo's steps and its end.
    void follow(GuidedDemo& demo);

  private:
    void showModel();
    void showMethodBrought(const QString& key, const QString& method);
    void showKeeping(const QString& problem);

    app::ApplicationState& m_state;
    NoticeBar& m_bar;
    WindowDialogs& m_dialogs;
    QPointer<GuidedDemo> m_demo;
    QString m_notKept;  ///< why conversations are not on disk, as said last
};

}  // namespace lacuna::ui
