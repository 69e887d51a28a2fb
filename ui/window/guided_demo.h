#pragma once
/// \file
/// Scripts of the guided demos. The short one takes about twenty seconds and shows one compaction.
/// The full one loads a model, asks for facts hidden in a long text under three caches (full,
/// evicted, attention matching), counts what was lost, changes settings while an answer is written,
/// and writes a report. Both run in the window and headless. Needs an event loop; GUI thread.

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVector>
#include <functional>
#include <utility>

#include "app/state/chat/chat_controller.h"

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class MainWindow;

/// Text and questions of the demo, from resources/texts.
struct DemoScript {
    struct Question {
        QString ask;
        QString answer;  ///< must appear in a correct answer
        QString what;    ///< name of the fact: "the pass key"
    };
    QStringList messages;  ///< messages before the text
    QString title;
    QString text;
    QString read;  ///< message sent with the text, before any question
    QList<Question> questions;
    QString story;    ///< an open-ended request, for a longer answer
    QString problem;  ///< sentence if the files are missing or malformed
};
[[nodiscard]] DemoScript loadDemoScript();

enum class DemoLength { Short, Whole };

class GuidedDemo final : public QObject {
    Q_OBJECT

  public:
    struct Plan {
        DemoLength length = DemoLength::Whole;
        QString folder = {};  ///< folder for the report of the full demo
        QString model = {};   ///< path; empty: the bundled model, or the current one in the short
                              ///< demo
    };
    GuidedDemo(app::ApplicationState& state, MainWindow& window, Plan plan);
    void start();
    /// Stops the running answer, ends the demo and restores the settings.
    void cancel();
    [[nodiscard]] bool running() const { return m_timer.isActive(); }
    /// True if the demo was stopped before its end.
    [[nodiscard]] bool cancelled() const { return m_cancelled; }
    [[nodiscard]] DemoLength length() const { return m_plan.length; }
    /// Number of the current step (from 1) and number of steps; only steps with a sentence count.
    [[nodiscard]] int step() const;
    [[nodiscard]] int steps() const;
    /// Advances as soon as the step is done, without the pause for viewing its result.
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
        int restMs = 400;   ///< pause for viewing the result
        int question = -1;  ///< index of the question whose answer is checked; -1: none
    };
    /// The questions asked with one cache.
    struct Series {
        QString cache;  ///< name of the cache in messages: "the whole cache"
        int right = 0;
        QStringList lost;
    };
    void addShortDemo();
    void addLoading();
    void addMessages();
    void addFullCache();
    void addEviction();
    void addAttentionMatching();
    void addLiveChanges();
    void addReport();
    /// Adds the steps that read the text in a new conversation under `settings`, wait for a
    /// compaction if the settings cause one, ask every question and report what was lost.
    void addSeries(const QString& cache, const QString& sentence,
                   const QVector<std::pair<QString, QString>>& settings);
    void addQuestion(int index, const QString& sentence);
    [[nodiscard]] bool inEffect(const QVector<std::pair<QString, QString>>& settings) const;
    [[nodiscard]] QString outcome(const Series& series) const;
    void tick();
    void beginStep();
    void ask(const QString& text);
    /// Makes a change once, as soon as the running answer has this many characters.
    void whileWriting(int characters, const std::function<void()>& change);
    [[nodiscard]] bool settled() const;
    [[nodiscard]] qsizetype answerLength() const;
    /// Value that changes whenever something is read or written, so a slow machine is not taken for
    /// a stall.
    [[nodiscard]] qint64 progress() const;
    void checkAnswer(const DemoScript::Question& question);
    void storeSettings();
    void removeDemoText();
    void restoreSettings();

    app::ApplicationState& m_state;
    MainWindow& m_window;
    const Plan m_plan;
    const DemoScript m_script;
    QList<Step> m_steps;
    QVector<std::pair<QString, QString>> m_before;  ///< original values of the settings that the
                                                    ///< demo changes
    qsizetype m_at = -1;
    QTimer m_timer;
    QElapsedTimer m_stepClock;
    qint64 m_doneAt = -1;                     ///< ms since the step began; -1: not done yet
    qint64 m_progress = 0, m_progressAt = 0;  ///< last observed progress, and its time in ms since
                                              ///< the step began
    std::function<void()> m_change;
    qsizetype m_changeAt = 0;
    QList<Series> m_series;
    qint64 m_evicted = 0;            ///< id of the conversation with the evicted cache
    qint64 m_compactionsBefore = 0;  ///< number of compactions before the text was read
    bool m_skips = false;
    bool m_cancelled = false;
    bool m_reportDone = false;
    QString m_reportProblem;
};

}  // namespace lacuna::ui
