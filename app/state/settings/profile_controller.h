#pragma once
/// \file
/// Profiles: named sets of all cache settings. Full, Balanced and Frugal are built in and depend
/// on what was measured for the loaded model; the user's own profiles are stored in a separate
/// file. Each profile states its measured cost for this model. GUI thread.

#include <QObject>
#include <QString>
#include <QVector>
#include <utility>

namespace lacuna {
struct MachineFacts;
}

namespace lacuna::app {

class ConfigController;
class QualityController;

struct ProfileView {
    QString name;         ///< key used to select it
    QString label;        ///< display name
    bool own = false;     ///< created by the user; may be renamed and deleted
    bool active = false;  ///< true if the requested settings match it
    QString help;         ///< description of gain and cost
    QString cost;         ///< measured cost for this model, or that it was not measured
    QString refused;      ///< why this model does not support it; empty if it does
    QString model;        ///< model in use when the user's profile was saved
    QVector<std::pair<QString, QString>> values;  ///< key and text of every setting in it
};

class ProfileController final : public QObject {
    Q_OBJECT

  public:
    /// Reads `folder`/profiles.json; with an empty `folder` nothing is stored. @pre the other
    /// arguments outlive this object
    ProfileController(ConfigController& config, QualityController& quality, const QString& folder,
                      QObject* parent = nullptr);

    /// Returns the built-in profiles, then the user's own by name.
    [[nodiscard]] QVector<ProfileView> profiles() const;
    /// Name of the profile that matches the requested settings; empty if none does.
    [[nodiscard]] QString active() const;
    void apply(const QString& name);
    /// The following calls return an error message; empty on success.
    /// Saves the requested cache settings and replaces the user's profile of that name.
    [[nodiscard]] QString save(const QString& name);
    [[nodiscard]] QString rename(const QString& name, const QString& to);
    [[nodiscard]] QString remove(const QString& name);

  Q_SIGNALS:
    /// Emitted when the list, its figures or the active profile has changed.
    void changed();

  private:
    struct Own {
        QString name, model;
        QVector<std::pair<QString, QString>> values;
    };
    void read();
    [[nodiscard]] QString write();
    [[nodiscard]] QString nameProblem(const QString& name) const;
    [[nodiscard]] bool asked(const QVector<std::pair<QString, QString>>& values) const;

    ConfigController& m_config;
    QualityController& m_quality;
    const QString m_path;  ///< empty if nothing is stored
    QVector<Own> m_own;
};

}  // namespace lacuna::app
