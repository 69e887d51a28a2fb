#include "app/state/report/recording_controller.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMetaObject>
#include <utility>

#include "app/state/engine/engine_text.h"
#include "app/state/number_format.h"
#include "app/state/report/recorded_session.h"
#include "app/state/view_rows.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "engine/session/running_model.h"

namespace lacuna::app {

namespace {

constexpr std::size_t kReportLimit = std::size_t{1} << 30;  ///< bytes

Result<Recording> readRecording(const QString& path) {
    LACUNA_TRY(const std::string text, readFile(fromQt(path), kReportLimit));
    LACUNA_TRY(const Json json, parseJson(text, kDenseJson));
    return recordingFromJson(json);
}

/// Includes the folder, "lacuna-report-20261127/report.json", because all reports have the same
/// file name.
QString shownName(const QString& path) {
    const QFileInfo file(path);
    const QString folder = file.absolutePath().section(QLatin1Char('/'), -1);
    return folder.isEmpty() ? file.fileName()
                            : QString(folder + QLatin1Char('/') + file.fileName());
}

QString outcomeSentence(const ReplayOutcome& outcome) {
    if (outcome.identical)
        return RecordingController::tr("Replayed: identical, %1 answers with %2 tokens.")
            .arg(countText(outcome.turns), countText(outcome.tokens));
    const QString where =
        RecordingController::tr("Replayed: diverged at token %1 of answer %2.")
            .arg(countText(outcome.divergedToken + 1), countText(outcome.divergedTurn));
    if (outcome.expected.empty() && outcome.found.empty()) return where;
    return where + QLatin1Char(' ') +
           RecordingController::tr("Recorded: \u201c%1\u201d, replayed: \u201c%2\u201d.")
               .arg(toQt(outcome.expected), toQt(outcome.found));
}

ReplayView endOf(const Result<ReplayOutcome>& outcome) {
    ReplayView end;
    if (!outcome) {
        end.sentence = engineText(outcome.error().what);
        return end;
    }
    end.ended = true;
    end.identical = outcome->identical;
    end.turns = end.turn = outcome->turns;
    end.tokens = outcome->tokens;
    end.divergedTurn = outcome->divergedTurn;
    end.divergedToken = outcome->divergedToken;
    end.sentence = outcomeSentence(*outcome);
    return end;
}

}  // namespace

QString reportAt(const QString& path) {
    constexpr qint64 kBegin = 256;  // bytes; the schema is at the beginning of the file
    const QString name =
        QFileInfo(path).isDir() ? QDir(path).filePath(QStringLiteral("report.json")) : path;
    QFile file(name);
    const bool report = name.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive) &&
                        QFileInfo(name).isFile() && file.open(QIODevice::ReadOnly) &&
                        file.read(kBegin).contains("\"lacuna-report\"");
    return report ? name : QString();
}

RecordingController::RecordingController(Makers makers, QObject* parent)
    : QObject(parent),
      m_makers(std::move(makers)),
      m_reader([this](const Error& error) {
          QMetaObject::invokeMethod(
              this, [this, problem = engineText(error.what)] { take(nullptr, problem); },
              Qt::QueuedConnection);
      }),
      m_replayer([this](const Error& error) {
          QMetaObject::invokeMethod(
              this, [this, problem = engineText(error.what)] { endReplay({.sentence = problem}); },
              Qt::QueuedConnection);
      }) {}

RecordingController::~RecordingController() {
    m_stop.request_stop();
    m_reader.waitForDone();
    m_replayer.waitForDone();
}

void RecordingController::open(const QString& path) {
    m_reading = true;
    const qint64 asked = ++m_asked;
    m_reader.start([this, path, asked] {
        std::shared_ptr<const RecordedSession> session;
        QString problem;
        auto recording = readRecording(path);
        if (recording)
            session = std::make_shared<const RecordedSession>(
                std::make_shared<const Recording>(std::move(*recording)), shownName(path));
        else
            problem = tr("%1 cannot be opened: %2")
                          .arg(shownName(path), engineText(recording.error().what));
        QMetaObject::invokeMethod(
            this,
            [this, asked, session, problem] {
                if (asked == m_asked) take(session, problem);
            },
            Qt::QueuedConnection);
    });
}

void RecordingController::take(const std::shared_ptr<const RecordedSession>& session,
                               const QString& problem) {
    m_reading = false;
    if (session == nullptr) {
        Q_EMIT failed(problem);
        return;
    }
    cancelReplay();
    m_replay = {};
    m_session = session;
    Q_EMIT changed();
    Q_EMIT replayChanged();
}

void RecordingController::close() {
    ++m_asked;
    m_reading = false;
    if (m_session == nullptr) return;
    cancelReplay();
    m_replay = {};
    m_session.reset();
    Q_EMIT changed();
    Q_EMIT replayChanged();
}

void RecordingController::replay() {
    if (m_session == nullptr || m_replay.running) return;
    m_stop = std::stop_source();
    m_replay = {.running = true};
    Q_EMIT replayChanged();
    m_replayer.start([this, session = m_session, stop = m_stop.get_token(), makers = m_makers()] {
        ReplayOptions options;
        options.stop = stop;
        options.makers = *makers;
        options.progress = [this, stop](std::int64_t turn, std::int64_t turns) {
            QMetaObject::invokeMethod(
                this,
                [this, stop, turn, turns] {
                    if (stop.stop_requested() || !m_replay.running) return;
                    m_replay.turn = turn;
                    m_replay.turns = turns;
                    Q_EMIT replayChanged();
                },
                Qt::QueuedConnection);
        };
        const ReplayView end = endOf(lacuna::replay(*session->recording(), options));
        QMetaObject::invokeMethod(
            this,
            [this, stop, end, session] {
                // The result of a cancelled replay is not shown.
                if (session == m_session && !stop.stop_requested()) endReplay(end);
            },
            Qt::QueuedConnection);
    });
}

void RecordingController::cancelReplay() {
    if (!m_replay.running) return;
    m_stop.request_stop();
    endReplay({.sentence = tr("The replay was stopped.")});
}

void RecordingController::endReplay(const ReplayView& end) {
    m_replay = end;
    Q_EMIT replayChanged();
}

}  // namespace lacuna::app
