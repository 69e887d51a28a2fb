#include "app/state/files/program_log.h"

#include <QDir>
#include <QFile>
#include <QMessageLogContext>
#include <QStringList>
#include <QThread>
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

#include "app/state/files/work_thread.h"
#include "app/state/view_rows.h"
#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/mutex.h"

namespace lacuna::app {

namespace {

constexpr std::array<const char*, 4> kNames{"debug", "info", "warning", "error"};

QString nameOf(LogSeverity severity) {
    return QString::fromLatin1(kNames[static_cast<std::size_t>(severity)]);
}

std::optional<LogSeverity> severityOf(const QString& name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == QLatin1String(kNames[i])) return static_cast<LogSeverity>(i);
    return std::nullopt;
}

/// Converts text to a single line of limited length.
QString flat(QString text) {
    text.replace(QLatin1Char('\n'), QLatin1Char(' ')).replace(QLatin1Char('\r'), QLatin1Char(' '));
    text = text.trimmed();
    if (text.size() > ProgramLog::kMaxLength)
        text = text.left(ProgramLog::kMaxLength - 1) + QChar(0x2026);
    return text;
}

QString withoutTitles(QString text) {
    const qsizetype first = text.indexOf(QChar(0x201c));
    const qsizetype last = text.lastIndexOf(QChar(0x201d));
    if (first >= 0 && last > first) text.replace(first + 1, last - first - 1, QChar(0x2026));
    return text;
}

QString sourceOf(EventKind kind) {
    switch (kind) {
        case EventKind::Model:
            return QStringLiteral("model");
        case EventKind::Turn:
            return QStringLiteral("answer");
        case EventKind::Config:
            return QStringLiteral("settings");
        case EventKind::Compaction:
            return QStringLiteral("compaction");
        case EventKind::Notice:
            return QStringLiteral("notice");
        case EventKind::Error:
            return QStringLiteral("engine");
        case EventKind::Program:
            return QStringLiteral("program");
    }
    return {};
}

/// Joins title and detail. An error's detail consists of code and message; if the title ends with
/// the same message, it is printed once.
QString withDetail(const EventRow& event) {
    const QString sentence = event.detail.section(QStringLiteral(": "), 1);
    if (!sentence.isEmpty() && event.title.endsWith(sentence))
        return event.title.chopped(sentence.size()) + event.detail;
    return event.title + QStringLiteral("; ") + event.detail;
}

QVector<LogLine> linesIn(const std::filesystem::path& path) {
    QVector<LogLine> lines;
    const auto text = readFile(path, 4 * LogFile::kMaxBytes);
    if (!text) return lines;  // Usually the file does not exist yet.
    for (const QString& line : toQt(*text).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        if (const auto known = lineOf(line)) lines.push_back(*known);
    return lines;
}

}  // namespace

QString lineText(const LogLine& line) {
    return line.when.toUTC().toString(Qt::ISODateWithMs) + QLatin1Char(' ') +
           nameOf(line.severity) + QLatin1Char(' ') + line.source + QStringLiteral(": ") +
           line.text;
}

std::optional<LogLine> lineOf(const QString& text) {
    const QDateTime when =
        QDateTime::fromString(text.section(QLatin1Char(' '), 0, 0), Qt::ISODateWithMs);
    const auto severity = severityOf(text.section(QLatin1Char(' '), 1, 1));
    const QString rest = text.section(QLatin1Char(' '), 2);
    const qsizetype colon = rest.indexOf(QStringLiteral(": "));
    if (!when.isValid() || !severity || colon <= 0) return std::nullopt;
    return LogLine{when.toLocalTime(), *severity, rest.left(colon), rest.mid(colon + 2)};
}

std::optional<LogLine> lineOf(const EventRow& event) {
    const bool routine = event.kind == EventKind::Turn || event.kind == EventKind::Compaction;
    if (routine && !event.problem) return std::nullopt;
    LogLine line{event.when, LogSeverity::Info, sourceOf(event.kind), event.title};
    if (event.kind == EventKind::Notice) {
        line.severity = LogSeverity::Warning;
        line.text = withoutTitles(event.title);
    } else {
        if (event.problem)
            line.severity =
                event.kind == EventKind::Config ? LogSeverity::Warning : LogSeverity::Error;
        if (!event.detail.isEmpty() && event.detail != event.title) line.text = withDetail(event);
    }
    return line;
}

bool isEvent(const LogLine& line) {
    constexpr EventKind kKinds[] = {EventKind::Model,      EventKind::Turn,   EventKind::Config,
                                    EventKind::Compaction, EventKind::Notice, EventKind::Error};
    return std::any_of(std::begin(kKinds), std::end(kKinds),
                       [&](EventKind kind) { return line.source == sourceOf(kind); });
}

EventRow eventOf(const LogLine& line) {
    EventRow row;
    row.when = line.when;
    row.kind = EventKind::Program;
    row.problem = line.severity >= LogSeverity::Warning;
    row.title = line.text;
    row.detail = lineText(line);
    return row;
}

/// State used by the file thread.
struct ProgramLog::File {
    ProgramLog& log;
    LogFile lines;
    bool failing = false;
    WorkThread thread;

    File(ProgramLog& owner, const QString& folder)
        : log(owner),
          lines(std::filesystem::path(
              QFile::encodeName(folder + QStringLiteral("/lacuna.log")).toStdString())),
          thread([this](const Error& error) { say(error); }) {
        thread.start([this, folder] {
            QDir().mkpath(folder);  // On failure, the first write reports the reason.
            QVector<LogLine> earlier = linesIn(lines.olderPath());
            earlier += linesIn(lines.path());
            QMetaObject::invokeMethod(
                &log, [&to = log, earlier] { to.addEarlier(earlier); }, Qt::QueuedConnection);
        });
    }

    void write(const QString& line) {
        thread.start([this, text = fromQt(line)] {
            const Status written = lines.append(text);
            if (!written) return say(written.error());
            if (std::exchange(failing, false)) post({});
        });
    }
    void say(const Error& error) {
        if (!std::exchange(failing, true)) post(toQt(error.what));
    }
    void post(const QString& sentence) {
        QMetaObject::invokeMethod(
            &log, [&to = log, sentence] { to.setProblem(sentence); }, Qt::QueuedConnection);
    }
};

ProgramLog::ProgramLog(const QString& folder, QObject* parent) : QAbstractTableModel(parent) {
    if (!folder.isEmpty()) m_file = std::make_unique<File>(*this, folder);
}

ProgramLog::~ProgramLog() = default;

QString ProgramLog::path() const {
    return m_file ? QFile::decodeName(m_file->lines.path().c_str()) : QString();
}

void ProgramLog::flush() {
    if (m_file) m_file->thread.waitForDone();
}

void ProgramLog::add(LogSeverity severity, const QString& source, const QString& text) {
    add(LogLine{QDateTime::currentDateTime(), severity, source, text});
}

void ProgramLog::add(const LogLine& line) {
    try {
        LogLine whole = line;
        whole.text = flat(line.text);
        if (QThread::currentThread() == thread()) return take(whole);
        QMetaObject::invokeMethod(
            this, [this, whole] { take(whole); }, Qt::QueuedConnection);
    } catch (const std::exception&) {  // Out of memory: losing a log line must not affect the
                                       // caller.
    }
}

void ProgramLog::take(const LogLine& line) {
    if (m_lines.size() >= static_cast<std::size_t>(kMaxRows)) {
        constexpr int kGone = kMaxRows / 10;  // Removed in blocks, so that a page does not scroll
                                              // with every line.
        beginRemoveRows({}, 0, kGone - 1);
        m_lines.erase(m_lines.begin(), m_lines.begin() + kGone);
        endRemoveRows();
    }
    if (m_file) m_file->write(lineText(line));
    const int at = rowCount();
    beginInsertRows({}, at, at);
    m_lines.push_back(line);
    endInsertRows();
}

/// Lines of earlier runs arrive asynchronously and are inserted before those of this run.
void ProgramLog::addEarlier(const QVector<LogLine>& lines) {
    const auto room = static_cast<qsizetype>(kMaxRows) - rowCount();
    const qsizetype count = std::min(room, lines.size());
    if (count <= 0) return;
    beginInsertRows({}, 0, static_cast<int>(count) - 1);
    m_lines.insert(m_lines.begin(), lines.end() - count, lines.end());
    endInsertRows();
}

void ProgramLog::setProblem(const QString& sentence) {
    m_problem = sentence;
    Q_EMIT problemChanged();
    if (sentence.isEmpty() || std::exchange(m_problemReported, true)) return;
    Q_EMIT writeFailed(sentence);
}

int ProgramLog::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int ProgramLog::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant ProgramLog::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    return cellOf(m_lines[static_cast<std::size_t>(index.row())], index.column(), role);
}

QVariant cellOf(const LogLine& line, int column, int role) {
    if (role == ProgramLog::SeverityRole) return static_cast<int>(line.severity);
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case ProgramLog::Time:
            return line.when.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
        case ProgramLog::Severity:
            return nameOf(line.severity);
        case ProgramLog::Source:
            return line.source;
        case ProgramLog::Text:
            return line.text;
        default:
            return {};
    }
}

QVariant ProgramLog::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return QAbstractTableModel::headerData(section, orientation, role);
    const std::array<QString, kColumns> names{tr("Time"), tr("Severity"), tr("From"), tr("Text")};
    return section >= 0 && section < kColumns ? names[static_cast<std::size_t>(section)]
                                              : QVariant();
}

// ---------------------------------------------------------------- Qt messages

namespace {

/// Qt has a single global message handler, which any thread may call.
struct Listener {
    Mutex mutex;
    ProgramLog* log LACUNA_GUARDED_BY(mutex) = nullptr;
    QtMessageHandler before LACUNA_GUARDED_BY(mutex) = nullptr;
};

Listener& listener() {
    static Listener one;
    return one;
}

/// Qt's own messages address developers; anything below an error is logged as debug.
LogSeverity severityOf(QtMsgType type, bool ofLacuna) {
    switch (type) {
        case QtDebugMsg:
            return LogSeverity::Debug;
        case QtInfoMsg:
            return ofLacuna ? LogSeverity::Info : LogSeverity::Debug;
        case QtWarningMsg:
            return ofLacuna ? LogSeverity::Warning : LogSeverity::Debug;
        case QtCriticalMsg:
        case QtFatalMsg:
            return LogSeverity::Error;
    }
    return LogSeverity::Error;
}

/// Writes through the event loop, because the message may come from code that is displaying a log
/// line.
void write(ProgramLog& log, LogSeverity severity, const QString& text) {
    const LogLine line{QDateTime::currentDateTime(), severity, QStringLiteral("qt"), text};
    QMetaObject::invokeMethod(
        &log, [&log, line] { log.add(line); }, Qt::QueuedConnection);
}

void listen(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    static thread_local bool inside = false;  // Guards against a message caused by writing a
                                              // message.
    if (std::exchange(inside, true)) return;
    try {
        const MutexLock lock(listener().mutex);
        if (listener().before != nullptr) listener().before(type, context, text);
        const bool plain =
            context.category == nullptr || std::strcmp(context.category, "default") == 0;
        const QString category =
            plain ? QString() : QString::fromUtf8(context.category) + QStringLiteral(": ");
        const bool ofLacuna = category.startsWith(QLatin1String("lacuna"));
        if (listener().log != nullptr)
            write(*listener().log, severityOf(type, ofLacuna), category + text);
    } catch (const std::exception&) {  // Out of memory.
    }
    inside = false;
}

}  // namespace

QtMessages::QtMessages(ProgramLog& log) {
    const MutexLock lock(listener().mutex);
    listener().log = &log;
    listener().before = qInstallMessageHandler(listen);
}

QtMessages::~QtMessages() {
    const MutexLock lock(listener().mutex);
    qInstallMessageHandler(std::exchange(listener().before, nullptr));
    listener().log = nullptr;
}

}  // namespace lacuna::app
