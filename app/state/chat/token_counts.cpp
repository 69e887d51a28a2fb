#include "app/state/chat/token_counts.h"

#include <QHash>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/state/view_rows.h"
#include "engine/session/token_counter.h"

namespace lacuna::app {

/// Used only on the worker thread.
struct TokenCounts::Worker {
    QString model;
    std::optional<TokenCounter> counter;  ///< tokenizer of `model`; empty if it cannot be read
    QHash<QString, qint64> known;         ///< counts of the previous request

    void open(const QString& path) {
        if (path == model) return;
        model = path;
        known.clear();
        counter.reset();
        if (auto opened = TokenCounter::open(std::filesystem::path(fromQt(path))))
            counter.emplace(std::move(*opened));
    }

    /// Returns nullopt if there is no tokenizer or the request is `stale`.
    std::optional<QVector<qint64>> count(const QStringList& texts, const StopRequested& stale) {
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
    ++*m_newest;  // Makes a running count stale.
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
