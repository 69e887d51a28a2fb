#pragma once
/// \file
/// The user's named system prompts for later conversations, stored in a small file. GUI thread.

#include <QMap>
#include <QString>

namespace lacuna::app {

class SystemPrompts {
  public:
    /// Reads `folder`/system-prompts.json; with an empty `folder` nothing is stored. An unreadable
    /// file is not overwritten until a prompt is saved.
    explicit SystemPrompts(const QString& folder);

    /// Texts by name.
    [[nodiscard]] const QMap<QString, QString>& all() const { return m_all; }
    /// Saves a prompt and replaces the one of that name. Returns an error message; empty on
    /// success.
    [[nodiscard]] QString keep(const QString& name, const QString& text);
    [[nodiscard]] QString remove(const QString& name);
    /// Name of the default prompt of new conversations; empty if none.
    [[nodiscard]] const QString& defaultName() const { return m_default; }
    [[nodiscard]] QString defaultText() const { return m_all.value(m_default); }
    [[nodiscard]] QString setDefault(const QString& name);

  private:
    [[nodiscard]] QString write() const;

    QString m_path;  ///< empty if nothing is stored
    QMap<QString, QString> m_all;
    QString m_default;
};

}  // namespace lacuna::app
