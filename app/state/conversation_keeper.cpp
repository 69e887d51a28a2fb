#include "app/state/conversation_keeper.h"

#include <QHash>
#include <algorithm>
#include <utility>

#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

bool sameLine(const ChatLine& a, const ChatLine& b) {
    return a.state == b.state && a.text == b.text && a.attachmentText == b.attachmentText &&
           a.problem == b.problem && a.figures.has_value() == b.figures.has_value();
}

}  // namespace

/// Belongs to the worker thread; `keeper` is only posted to.
struct ConversationKeeper::Worker {
    ConversationKeeper& keeper;
    std::optional<ConversationDatabase> database;
    QHash<qint64, QVector<ChatLine>> written;  ///< lines on disk, by conversation
    bool failing = false;                      ///< the last write failed, and that was told

    explicit Worker(ConversationKeeper& owner) : keeper(owner) {}

    template <class Call>
    void tell(Call call) {
        QMetaObject::invokeMethod(&keeper, std::move(call), Qt::QueuedConnection);
    }

    /// The first failure of a row is told, the next ones would say the same.
    void watch(const Status& status) {
        const bool failed = !status;
        if (failed && !failing) {
            const QString sentence = ConversationKeeper::tr(
                                         "Conversations cannot be written: %1 They are kept in "
                                         "memory and written once that works again.")
                                         .arg(toQt(status.error().what));
            tell([this, sentence] { Q_EMIT keeper.noticed(sentence); });
        }
        failing = failed;
    }

    void open(const QString& folder) {
        auto opened = ConversationDatabase::open(folder);
        database = std::move(opened.database);
        if (!opened.notice.isEmpty())
            tell([this, notice = opened.notice] { Q_EMIT keeper.noticed(notice); });
        if (!database) return;
        watch(database->purge());
        const auto records = database->conversations();
        const auto settings = database->settings();
        if (!records || !settings) {
            watch(tl::unexpected(records ? settings.error() : records.error()));
            return;
        }
        tell([this, records = *records, settings = *settings] {
            Q_EMIT keeper.opened(records, settings);
        });
    }

    void save(const ConversationRecord& record) {
        if (!database) return;
        QVector<ChatLine>& before = written[record.id];
        // Lines that were never read stay as they are; only the title may be new.
        const bool linesUnread = record.lines.isEmpty() && record.messages > 0;
        const qsizetype common = std::min(before.size(), record.lines.size());
        qsizetype first = linesUnread ? record.messages : 0;
        while (first < common && sameLine(before[first], record.lines[first])) ++first;
        const Status saved = database->save(record, first);
        watch(saved);
        if (saved && !linesUnread) before = record.lines;
    }

    void fetch(qint64 conversation) {
        if (!database) return;
        const auto lines = database->lines(conversation);
        if (!lines) return watch(tl::unexpected(lines.error()));
        written[conversation] = *lines;
        tell([this, conversation, lines = *lines] { Q_EMIT keeper.fetched(conversation, lines); });
    }

    void search(const QString& words) {
        if (!database) return;
        const auto found = database->search(words);
        if (!found) return watch(tl::unexpected(found.error()));
        tell([this, words, found = *found] { Q_EMIT keeper.found(words, found); });
    }
};

ConversationKeeper::ConversationKeeper(QString folder, Source source, QObject* parent)
    : QObject(parent),
      m_folder(std::move(folder)),
      m_source(std::move(source)),
      m_worker(std::make_shared<Worker>(*this)) {
    m_pool.setMaxThreadCount(1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kFlushMs);
    connect(&m_soon, &QTimer::timeout, this, &ConversationKeeper::flush);
}

ConversationKeeper::~ConversationKeeper() {
    flush();
    m_pool.waitForDone();
}

void ConversationKeeper::run(Task task) {
    m_pool.start([worker = m_worker, task = std::move(task)] { task(*worker); });
}

void ConversationKeeper::open() {
    run([folder = m_folder](Worker& worker) { worker.open(folder); });
}

void ConversationKeeper::touch(qint64 conversation) {
    m_touched.insert(conversation);
    if (!m_soon.isActive()) m_soon.start();
}

void ConversationKeeper::flush() {
    m_soon.stop();
    for (const qint64 conversation : std::exchange(m_touched, {})) {
        const ConversationRecord record = m_source(conversation);
        if (record.id == conversation) run([record](Worker& worker) { worker.save(record); });
    }
}

void ConversationKeeper::remove(qint64 conversation) {
    m_touched.remove(conversation);
    run([conversation](Worker& worker) {
        if (worker.database) worker.watch(worker.database->remove(conversation));
    });
}

void ConversationKeeper::restore(qint64 conversation) {
    run([conversation](Worker& worker) {
        if (worker.database) worker.watch(worker.database->restore(conversation));
    });
    touch(conversation);
}

void ConversationKeeper::fetch(qint64 conversation) {
    run([conversation](Worker& worker) { worker.fetch(conversation); });
}

void ConversationKeeper::search(const QString& words) {
    run([words](Worker& worker) { worker.search(words); });
}

void ConversationKeeper::saveSettings(const QMap<QString, QString>& values) {
    run([values](Worker& worker) {
        if (worker.database) worker.watch(worker.database->saveSettings(values));
    });
}

}  // namespace lacuna::app
