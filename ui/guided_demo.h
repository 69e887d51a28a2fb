#pragma once
/// \file
/// Two scripts. The short one is for whoever is new, in some twenty seconds: a page is read, a fact
/// in it asked for, the cache made four times smaller, another fact asked for; each step says what
/// is to be seen, waits until that was read, and can be passed over.
///
/// The whole one takes a minute or two: loads the model, talks a little, pastes a long text with
/// facts hidden in it and asks for them three times: of the whole cache, of one that was evicted
/// before the first question, of one that attention matching made smaller before it. What is lost
/// is counted from the answers and said. Then settings move while an answer is written (one of them
/// wrong on purpose), and a report with charts and pictures of the window is written. The same
/// script runs in the window and headless. Needs an event loop; GUI thread.

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
        QString what;    ///< what is lost with it, in words: "the pass key"
    };
    QStringList talk;  ///< said before the text
    QString title;
    QString text;
    QString read;  ///< what is said with the text, before any question
    QList<Question> questions;
    QString story;    ///< an open request, for a longer answer
    QString problem;  ///< sentence when the files are missing or not in form
};
[[nodiscard]] DemoScript loadDemoScript();

enum class DemoLength { Short, Whole };

class GuidedDemo final : public QObject {
    Q_OBJECT

  public:
    struct Plan {
        DemoLength length = DemoLength::Whole;
        QString folder = {};  ///< takes the report of the whole one
        QString model = {};   ///< a path; empty: the bundled model, of the short one that in use
    };
    GuidedDemo(app::ApplicationState& state, MainWindow& window, Plan plan);
    void start();
    /// Stops the answer that is running and ends the demo; settings go back to what they were.
    void cancel();
    [[nodiscard]] bool running() const { return m_timer.isActive(); }
    /// It was stopped before its end.
    [[nodiscard]] bool cancelled() const { return m_cancelled; }
    [[nodiscard]] DemoLength length() const { return m_plan.length; }
    /// Steps that say something: which one is on, from 1, and how many there are.
    [[nodiscard]] int step() const;
    [[nodiscard]] int steps() const;
    /// Goes on as soon as the step is done, without the time to look at it.
    void skip();

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
    /// The questions asked of one cache.
    struct Series {
        QString cache;  ///< whose answers they are, in words: "the whole cache"
        int right = 0;
        QStringList lost;
    };
    void addShort();
    void addLoading();
    void addTalk();
    void addWholeCache();
    void addEviction();
    void addAttentionMatching();
    void addLiveChanges();
    void addReport();
    /// The text is read in a new conversation under `settings`; where they compact, that is waited
    /// for. Then every question is asked and what was lost is said.
    void addSeries(const QString& cache, const QString& sentence,
                   const QVector<std::pair<QString, QString>>& settings);
    void addQuestion(int index, const QString& sentence);
    [[nodiscard]] bool inForce(const QVector<std::pair<QString, QString>>& settings) const;
    [[nodiscard]] QString outcome(const Series& series) const;
    void tick();
    void beginStep();
    void ask(const QString& text);
    /// Changes a setting once, as soon as that much of the running answer is there.
    void whileWriting(int characters, const std::function<void()>& change);
    [[nodiscard]] bool settled() const;
    [[nodiscard]] qsizetype answerLength() const;
    /// Changes while something is read or written, however slow the machine is.
    [[nodiscard]] qint64 progress() const;
    void checkAnswer(const DemoScript::Question& question);
    void rememberSettings();
    void takeTextBack();
    void putSettingsBack();

    app::ApplicationState& m_state;
    MainWindow& m_window;
    const Plan m_plan;
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
    QList<Series> m_series;
    qint64 m_evicted = 0;            ///< conversation of the evicted cache
    qint64 m_compactionsBefore = 0;  ///< when a text began to be read
    bool m_skips = false;
    bool m_cancelled = false;
    bool m_reportDone = false;
    QString m_reportProblem;
};

}  // namespace lacuna::ui
