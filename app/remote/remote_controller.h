#pragma once
/// \file
/// Engines elsewhere, as the window deals with them: the list of those a person has named, a test,
/// the connection to one of them, and what it shows and can be asked to do. Nothing is sent before
/// a person tests or connects. GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>

#include "app/remote/connection_list.h"
#include "app/state/view_types.h"

namespace lacuna::app {

class ApplicationState;

/// What a person writes of an engine, before it is saved.
struct RemoteDraft {
    QString id;  ///< of the saved one it changes; empty: a new one
    QString name;
    QString address;
    /// Nothing: the key that is kept stays.
    std::optional<QString> key;
};

struct RemoteOutcome {
    bool ok = false;
    QString sentence;
};

/// One of our series, as text; empty parts are not reported.
struct FigureLine {
    QString label;
    bool reported = false;
    QString now, total;
};
struct ControlLine {
    QString id, label, meaning;
};
struct SlotLine {
    int id = 0;
    bool busy = false;
    QString text;
};

class RemoteController final : public QObject {
    Q_OBJECT

  public:
    /// `list` null: the one of the state's folder with the keyring of the desktop.
    explicit RemoteController(ApplicationState& state,
                              std::unique_ptr<ConnectionList> list = nullptr,
                              QObject* parent = nullptr);
    ~RemoteController() override;

    [[nodiscard]] const ConnectionList& list() const;
    /// Checks name and address and keeps both; the sentence says where the key is, or what is
    /// wrong. `id` of the outcome is empty where nothing was saved.
    struct Saved {
        QString id;
        QString sentence;
    };
    void save(const RemoteDraft& draft, std::function<void(const Saved&)> done);
    void remove(const QString& id);
    /// Asks the engine for its models and metrics, and says in words what came.
    void test(const RemoteDraft& draft, std::function<void(const RemoteOutcome&)> done);

    /// Answers come from it once it has told its models. `done` hears what came of it.
    void connectTo(const QString& id, std::function<void(const RemoteOutcome&)> done);
    void disconnectNow();
    [[nodiscard]] bool connected() const;
    [[nodiscard]] bool connecting() const;
    /// Of the engine that answers; empty: none does.
    [[nodiscard]] QString connectedId() const;

    // Of the engine that answers.
    [[nodiscard]] QStringList models() const;
    void chooseModel(const QString& model);
    /// All of our series, those it does not report among them.
    [[nodiscard]] const QVector<FigureLine>& figures() const;
    [[nodiscard]] QVector<ControlLine> controls() const;
    void run(const QString& control, std::function<void(const RemoteOutcome&)> done);
    [[nodiscard]] const QVector<SlotLine>& slotLines() const;
    [[nodiscard]] const QStringList& properties() const;
    /// Asks for slots and properties; they come with changed().
    void refreshDetails();
    /// Whether a setting goes along with what is asked of it.
    [[nodiscard]] bool goesAlong(const QString& setting) const;

  Q_SIGNALS:
    void changed();
    /// The figures are new.
    void figuresChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
