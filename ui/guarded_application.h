#pragma once
/// \file
/// The application whose event loop survives what a handler throws: Qt itself would end the
/// program. GUI thread.

#include <QApplication>
#include <functional>

namespace lacuna::ui {

class GuardedApplication final : public QApplication {
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
