#pragma once
/// \file
/// The application guarded against two ends that Qt makes of its own accord: a handler that throws,
/// and a missing display. GUI thread.

#include <QApplication>
#include <QtGlobal>
#include <functional>

namespace lacuna::ui {

/// While it lives, sentences of a platform plugin about what it does not support are left out:
/// nobody can act on them. All others go on to whoever listened before. GUI thread, one at a time.
class PlatformMessageFilter {
  public:
    PlatformMessageFilter();
    ~PlatformMessageFilter();
    PlatformMessageFilter(const PlatformMessageFilter&) = delete;
    PlatformMessageFilter& operator=(const PlatformMessageFilter&) = delete;
};

/// Qt ends a program that finds no display by abort(). While a check is open, that end is a
/// sentence on standard error and the exit status kNoDisplay (window_program.h). GUI thread, one at
/// a time.
class DisplayCheck {
  public:
    DisplayCheck();
    ~DisplayCheck() { passed(); }
    DisplayCheck(const DisplayCheck&) = delete;
    DisplayCheck& operator=(const DisplayCheck&) = delete;
    /// There is one: what Qt said meanwhile is passed on, and the check is over.
    void passed();

  private:
    QtMessageHandler m_before;
    bool m_open = true;
};

/// The application whose event loop survives what a handler throws: Qt itself would end the
/// program. GUI thread.
class GuardedApplication final : public QApplication {
    Q_DECLARE_TR_FUNCTIONS(lacuna::ui::GuardedApplication)

  public:
    using Failure = std::function<void(const QString& sentence)>;

    GuardedApplication(int& argc, char** argv) : QApplication(argc, argv) {}
    /// `failure` is told, in a sentence, when a handler has thrown; without one, standard error is.
    void onFailure(Failure failure) { m_failure = std::move(failure); }
    bool notify(QObject* receiver, QEvent* event) override;

  private:
    void tell(const QString& sentence) noexcept;

    Failure m_failure;
};

}  // namespace lacuna::ui
