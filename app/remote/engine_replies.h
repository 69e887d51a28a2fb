#pragma once
/// \file
/// Replies of other engines as values (models, slots, properties), and the control operations that
/// they support at runtime. Pure functions.

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>
#include <tl/expected.hpp>

#include "app/remote/engine_figures.h"
#include "app/remote/remote_client.h"

namespace lacuna::app {

struct ListedModel {
    QString id;
    std::optional<qint64> context;  ///< context length in tokens; nullopt if not reported
};
/// Parses the reply to GET /v1/models. The error is a message for the user.
[[nodiscard]] tl::expected<QVector<ListedModel>, QString> modelsFrom(const QByteArray& body);

struct ListedSlot {
    int id = 0;
    bool busy = false;
    std::optional<qint64> context;  ///< capacity in tokens
    std::optional<qint64> prompt;   ///< prompt tokens
    std::optional<qint64> written;  ///< answer tokens so far
};
/// Parses the reply to GET /slots of llama-server and Lacuna.
[[nodiscard]] tl::expected<QVector<ListedSlot>, QString> slotsFrom(const QByteArray& body);

/// Parses the reply to GET /props: build, model, number of slots, context. Empty if it contains
/// none of them.
[[nodiscard]] QStringList propertiesFrom(const QByteArray& body);

/// A control operation that engines of one family support.
struct EngineControl {
    QString id;       ///< "vllm.sleep"
    QString label;    ///< an imperative such as "Clear the prefix cache"
    QString meaning;  ///< one-sentence description
    RemoteRequest request;
    bool eachSlot = false;  ///< true if sent once per slot, with {} in the path replaced by the
                            ///< slot id
    QString missing;        ///< start option to suggest if the engine has no such path
};
[[nodiscard]] QVector<EngineControl> controlsOf(EngineFamily family);
/// Result of a control operation with a message; `ok` is false if it failed.
struct ControlOutcome {
    bool ok = false;
    QString sentence;
};
[[nodiscard]] ControlOutcome outcomeOf(const EngineControl& control, const RemoteReply& reply);

/// Unit in which a figure is displayed.
enum class FigureUnit { Count, Share, Bytes, Seconds, Tokens, TokensPerSecond, Nats };
struct FigureWords {
    QString label;
    FigureUnit unit = FigureUnit::Count;
};
[[nodiscard]] FigureWords wordsOf(Figure figure);

}  // namespace lacuna::app
