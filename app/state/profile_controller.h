#pragma once
/// \file
/// Profiles: all settings of the cache under one name. Balanced, Frugal and Exact come with the
/// program and follow what was measured on the model in use; a person's own are kept in a file of
/// their own. Each says what it was measured to cost on this model. GUI thread.

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
    QString name;         ///< as it is chosen
    QString label;        ///< as people read it
    bool own = false;     ///< of the person; may be renamed and deleted
    bool active = false;  ///< the settings asked for are these
    QString help;         ///< what one gains and loses
    QString cost;         ///< measured on this model, or that it was not; a sentence
    QString refused;      ///< why this model cannot have it, a sentence; empty: it can
    QString model;        ///< on which one's own was saved
    QVector<std::pair<QString, QString>> values;  ///< key and text of every setting it sets
};

class ProfileController final : public QObject {
    Q_OBJECT

  public:
    /// Reads `folder`/profiles.json; empty: nothing is kept on disk. The others outlive it.
    ProfileController(ConfigController& config, QualityController& quality, const QString& folder,
                      QObject* parent = nullptr);

    /// Those of the program, then the person's own by name.
    [[nodiscard]] QVector<ProfileView> profiles() const;
    /// The one whose settings are asked for; empty: none.
    [[nodiscard]] QString active() const;
    void apply(const QString& name);
    /// Each a sentence when it cannot be done; empty: it is.
    /// The settings of the cache as asked for now, in place of one's own of that name.
    [[nodiscard]] QString save(const QString& name);
    [[nodiscard]] QString rename(const QString& name, const QString& to);
    [[nodiscard]] QString remove(const QString& name);

  Q_SIGNALS:
    /// Another list, other figures, or another one active.
    void changed();

  private:
    struct Own {
        QString name, model;
        QVector<std::pair<QString, QString>> values;
    };
    void read();
    [[nodiscard]] QString write();
    [[nodiscard]] QString whyNotNamed(const QString& name) const;
    [[nodiscard]] bool asked(const QVector<std::pair<QString, QString>>& values) const;

    ConfigController& m_config;
    QualityController& m_quality;
    const QString m_path;  ///< empty: nowhere
    QVector<Own> m_own;
};

}  // namespace lacuna::app
