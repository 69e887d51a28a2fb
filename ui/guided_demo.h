#pragma once
/// \file
/// A scripted minute: loads the bundled model, pastes a long text with facts hidden in it, asks for
/// them, moves compression settings while answers are written (one of them wrong on purpose),
/// compacts, and writes a report with charts and pictures of the window. The same script runs in
/// the window and headless. Needs an event loop; GUI thread.

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVector>
#include <functional>
#include <utility>

#include "app/state/chat_controller.h"

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class MainWindow;

/// Text and questions of the demo, from resources/texts.
struct DemoScript {
    struct Question {
        QString ask;
        QString answer;  ///< must appear in a right answer
    };
    QString title;
    QString text;
    QList<Question> questions;
    QString story;    ///< an open request, for a longer answer
    QString problem;  ///< sentence when the files are missing or not in form
};
[[nodiscard]] DemoScript loadDemoScript();

class GuidedDemo final : public QObject {
    Q_OBJECT

  public:
    GuidedDemo(app::ApplicationState& state, MainWindow& window, QString folder);
    void start();
    /// Stops the answer that is running and ends the demo; settings go back to what they were.
    void cancel();
    [[nodiscard]] bool running() const { return m_timer.isActive(); }

  Q_SIGNALS:
    void stepChanged(const QString& sentence);
    void finished(const QString& sentence);
    void failed(const QString& sentence);

  private:
    struct Step {
        QString sentence;
        std::function<void()> begin;
        std::function<bool()> done;
        int restMs = 400;   ///< time to look at the result
        int question = -1;  ///< index of the question whose answer is then checked; -1: none
    };
    void addLoading();
    void addRecall();
    void addAttentionMatching();
    void addEviction();
    void addReport();
    void addPaste(const QString& sentence, int index);
    void addQuestion(int index, const QString& sentence);
    [[nodiscard]] app::PromptDraft question(int index) const;
    void tick();
    void beginStep();
    void ask(const QString& text);
    /// Changes a setting once, as soon as that much of the running answer is there.
    void whileWriting(int characters, const std::function<void()>& change);
    [[nodiscard]] bool settled() const;
    [[nodiscard]] qsizetype answerLength() const;
    /// Changes while something is read or written, however slow the machine is.
    [[nodiscard]] qint64 progress() const;
    void checkAnswer(const QString& expected);
    void rememberSettings();
    void putSettingsBack();

    app::ApplicationState& m_state;
    MainWindow& m_window;
    const QString m_folder;
    const DemoScript m_script;
    QList<Step> m_steps;
    QVector<std::pair<QString, QString>> m_before;  ///< settings the demo moves, as they were
    qsizetype m_at = -1;
    QTimer m_timer;
    QElapsedTimer m_stepClock;
    qint64 m_doneAt = -1;                     ///< ms in the step; -1: not done yet
    qint64 m_progress = 0, m_progressAt = 0;  ///< as last seen to change, and when: ms in the step
    std::function<void()> m_change;
    qsizetype m_changeAt = 0;
    int m_asked = 0, m_right = 0;
    qint64 m_recalled = 0;  ///< conversation whose halved cache is asked
    bool m_reportDone = false;
    QString m_reportProblem;
};

}  // namespace lacuna::ui
