#pragma once
/// \file
/// Remote engines as the window uses them: the list of saved connections, connection tests, and the
/// active connection with its metrics and controls. No request is sent before the user tests or
/// connects. GUI thread.

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

/// Unsaved edits of a connection.
struct RemoteDraft {
    QString id;  ///< id of the saved connection being edited; empty for a new one
    QString name;
    QString address;
    /// nullopt keeps the stored key.
    std::optional<QString> key;
};

struct RemoteOutcome {
    bool ok = false;
    QString sentence;
};

/// One figure as text; parts that are not reported are empty.
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
    /// If `list` is null, the list in the state's folder and the desktop's keyring are used.
    explicit RemoteController(ApplicationState& state,
                              std::unique_ptr<ConnectionList> list = nullptr,
                              QObject* parent = nullptr);
    ~RemoteController() override;

    [[nodiscard]] const ConnectionList& list() const;
    /// Result of saving. `sentence` describes where the key is stored, or the error; `id` is empty
    /// if nothing was saved.
    struct Saved {
        QString id;
        QString sentence;
    };
    void save(const RemoteDraft& draft, std::function<void(const Saved&)> done);
    void remove(const QString& id);
    /// Requests the engine's models and metrics and describes the result.
    void test(const RemoteDraft& draft, std::function<void(const RemoteOutcome&)> done);

    /// Connects to an engine, which answers once its models are listed. `done` receives the result.
    void connectTo(const QString& id, std::function<void(const RemoteOutcome&)> done);
    void disconnectNow();
    [[nodiscard]] bool connected() const;
    [[nodiscard]] bool connecting() const;
    /// Id of the connected engine; empty if there is none.
    [[nodiscard]] QString connectedId() const;

    // These describe the connected engine.
    [[nodiscard]] QStringList models() const;
    void chooseModel(const QString& model);
    /// All figures, including those that the engine does not report.
    [[nodiscard]] const QVector<FigureLine>& figures() const;
    [[nodiscard]] QVector<ControlLine> controls() const;
    void run(const QString& control, std::function<void(const RemoteOutcome&)> done);
    [[nodiscard]] const QVector<SlotLine>& slotLines() const;
    [[nodiscard]] const QStringList& properties() const;
    /// Requests slots and properties; changed() is emitted when they arrive.
    void refreshDetails();
    /// Returns true if the setting is sent with requests to the connected engine.
    [[nodiscard]] bool isForwarded(const QString& setting) const;

  Q_SIGNALS:
    void changed();
    /// Emitted after each scrape.
    void figuresChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
