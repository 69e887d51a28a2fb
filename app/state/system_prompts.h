#pragma once
/// \file
/// System prompts that a person keeps for conversations to come, by name, in a small file of their
/// own. GUI thread.

#include <QMap>
#include <QString>

namespace lacuna::app {

class SystemPrompts {
  public:
    /// Reads `folder`/system-prompts.json; empty: nothing is kept on disk. What cannot be read is
    /// left alone, and not written over before one is kept.
    explicit SystemPrompts(const QString& folder);

    /// Name and text.
    [[nodiscard]] const QMap<QString, QString>& all() const { return m_all; }
    /// Keeps it, in place of one of that name. A sentence when it cannot be written.
    [[nodiscard]] QString keep(const QString& name, const QString& text);
    [[nodiscard]] QString remove(const QString& name);
    /// Name of the one that new conversations begin with; empty: none.
    [[nodiscard]] const QString& standard() const { return m_standard; }
    [[nodiscard]] QString standardText() const { return m_all.value(m_standard); }
    [[nodiscard]] QString setStandard(const QString& name);

  private:
    [[nodiscard]] QString write() const;

    QString m_path;  ///< empty: nowhere
    QMap<QString, QString> m_all;
    QString m_standard;
};

}  // namespace lacuna::app
