#include "app/state/token_counts.h"

#include <QHash>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/state/view_rows.h"
#include "engine/session/token_counter.h"

namespace lacuna::app {

/// Used on the thread of the work only.
struct TokenCounts::Worker {
    QString model;
    std::optional<TokenCounter> counter;  ///< of `model`; none: it cannot be read
    QHash<QString, qint64> known;         ///< of the question before

    void open(const QString& path) {
        if (path == model) return;
        model = path;
        known.clear();
        counter.reset();
        if (auto opened = TokenCounter::open(std::filesystem::path(fromQt(path))))
            counter.emplace(std::move(*opened));
    }

    /// Nothing: there is no tokenizer, or `stale` said that nobody asks any more.
    std::optional<QVector<qint64>> count(const QStringList& texts, const StopAsked& stale) {
        if (!counter) return std::nullopt;
        QHash<QString, qint64> now;
        QVector<qint64> tokens;
        for (const QString& text : texts) {
            const auto before = known.constFind(text);
            if (before != known.constEnd()) {
                tokens.push_back(*before);
            } else {
                const auto counted = counter->count(fromQt(text), stale);
                if (!counted) return std::nullopt;
                tokens.push_back(*counted);
            }
            now.insert(text, tokens.back());
        }
        known = std::move(now);
        return tokens;
    }
};

TokenCounts::TokenCounts(QObject* parent)
    : QObject(parent),
      m_newest(std::make_shared<std::atomic<quint64>>(0)),
      m_worker(std::make_shared<Worker>()),
      m_thread([](const Error&) {}) {}

TokenCounts::~TokenCounts() {
    ++*m_newest;  // whatever is being counted ends
}

void TokenCounts::setModel(const QString& path) {
    m_model = path;
}

void TokenCounts::count(const QStringList& texts) {
    const quint64 number = ++*m_newest;
    if (m_model.isEmpty()) return;
    const auto stale = [newest = m_newest, number] { return newest->load() != number; };
    m_thread.start([this, worker = m_worker, model = m_model, texts, stale] {
        if (stale()) return;
        worker->open(model);
        const auto tokens = worker->count(texts, stale);
        if (!tokens) return;
        QMetaObject::invokeMethod(
            this,
            [this, stale, tokens = *tokens] {
                if (!stale()) Q_EMIT counted(tokens);
            },
            Qt::QueuedConnection);
    });
}

}  // namespace lacuna::app
