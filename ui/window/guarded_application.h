#pragma once
/// \file
/// QApplication that survives throwing handlers and reports a missing display instead of calling
/// abort(). GUI thread.

#include <QApplication>
#include <QtGlobal>
#include <functional>

namespace lacuna::ui {

/// While it exists, messages of a platform plugin about unsupported features are suppressed, since
/// the user cannot act on them. All others go to the previous message handler. GUI thread, one at a
/// time.
class PlatformMessageFilter {
  public:
    PlatformMessageFilter();
    ~PlatformMessageFilter();
    PlatformMessageFilter(const PlatformMessageFilter&) = delete;
    PlatformMessageFilter& operator=(const PlatformMessageFilter&) = delete;
};

/// Qt calls abort() if a program finds no display. While a check is active, that becomes a sentence
/// on standard error and the exit status kNoDisplay (window_program.h). GUI thread, one at a time.
class DisplayCheck {
  public:
    DisplayCheck();
    ~DisplayCheck() { passed(); }
    DisplayCheck(const DisplayCheck&) = delete;
    DisplayCheck& operator=(const DisplayCheck&) = delete;
    /// Ends the check after a display was found and forwards the messages that Qt emitted
    /// meanwhile.
    void passed();

  private:
    QtMessageHandler m_before;
    bool m_open = true;
};

/// QApplication whose event loop survives exceptions thrown by handlers; Qt itself would terminate.
/// GUI thread.
class GuardedApplication final : public QApplication {
    Q_DECLARE_TR_FUNCTIONS(lacuna::ui::GuardedApplication)

  public:
    using Failure = std::function<void(const QString& sentence)>;

    GuardedApplication(int& argc, char** argv) : QApplication(argc, argv) {}
    /// `failure` is called with a sentence after a handler has thrown; without it the sentence goes
    /// to standard error.
    void onFailure(Failure failure) { m_failure = std::move(failure); }
    bool notify(QObject* receiver, QEvent* event) override;

  private:
    void showMessage(const QString& sentence) noexcept;

    Failure m_failure;
};

}  // namespace lacuna::ui
