#pragma once
/// \file
/// What other engines say of themselves, as values: models, slots, properties; and what can be done
/// to them while they run. Pure functions.

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
    std::optional<qint64> context;  ///< tokens, where the engine says
};
/// Of GET /v1/models. The error is a sentence.
[[nodiscard]] tl::expected<QVector<ListedModel>, QString> modelsFrom(const QByteArray& body);

struct ListedSlot {
    int id = 0;
    bool busy = false;
    std::optional<qint64> context;  ///< tokens it has room for
    std::optional<qint64> prompt;   ///< tokens of the prompt
    std::optional<qint64> written;  ///< tokens of the answer so far
};
/// Of GET /slots of llama-server and Lacuna.
[[nodiscard]] tl::expected<QVector<ListedSlot>, QString> slotsFrom(const QByteArray& body);

/// Of GET /props: build, model, number of slots, context. Empty: it says none of them.
[[nodiscard]] QStringList propertiesFrom(const QByteArray& body);

/// Something that an engine of a family does when it is asked.
struct EngineControl {
    QString id;       ///< "vllm.sleep"
    QString label;    ///< a verb: "Empty the prefix cache"
    QString meaning;  ///< what it does, a sentence
    RemoteRequest request;
    bool eachSlot = false;  ///< once for every slot; {} in the path is its number
    QString missing;        ///< what the engine was started without where it has no such path
};
[[nodiscard]] QVector<EngineControl> controlsOf(EngineFamily family);
/// What came of one, as a sentence; `ok` false: it was not done.
struct ControlOutcome {
    bool ok = false;
    QString sentence;
};
[[nodiscard]] ControlOutcome outcomeOf(const EngineControl& control, const RemoteReply& reply);

/// A figure in words: what it is, and in which unit it is shown.
enum class FigureUnit { Count, Share, Bytes, Seconds, Tokens, TokensPerSecond, Nats };
struct FigureWords {
    QString label;
    FigureUnit unit = FigureUnit::Count;
};
[[nodiscard]] FigureWords wordsOf(Figure figure);

}  // namespace lacuna::app
