#include "app/state/chat/system_prompts.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/state/files/program_files.h"

namespace lacuna::app {

namespace {

constexpr qint64 kMaxBytes = qint64{1} << 20;

}  // namespace

SystemPrompts::SystemPrompts(const QString& folder)
    : m_path(folder.isEmpty() ? QString()
                              : QDir(folder).filePath(QStringLiteral("system-prompts.json"))) {
    QFile file(m_path);
    if (!QFileInfo(m_path).isFile() || file.size() > kMaxBytes || !file.open(QIODevice::ReadOnly))
        return;
    const QJsonObject kept = QJsonDocument::fromJson(file.readAll()).object();
    const QJsonObject prompts = kept.value(QStringLiteral("prompts")).toObject();
    for (auto one = prompts.begin(); one != prompts.end(); ++one)
        if (one.value().isString()) m_all.insert(one.key(), one.value().toString());
    const QString standard = kept.value(QStringLiteral("standard")).toString();
    if (m_all.contains(standard)) m_default = standard;
}

QString SystemPrompts::keep(const QString& name, const QString& text) {
    m_all.insert(name, text);
    return write();
}

QString SystemPrompts::remove(const QString& name) {
    m_all.remove(name);
    if (m_default == name) m_default.clear();
    return write();
}

QString SystemPrompts::setDefault(const QString& name) {
    m_default = m_all.contains(name) ? name : QString();
    return write();
}

QString SystemPrompts::write() const {
    if (m_path.isEmpty()) return {};
    QJsonObject prompts;
    for (auto one = m_all.begin(); one != m_all.end(); ++one)
        prompts.insert(one.key(), one.value());
    const QJsonObject file{{QStringLiteral("version"), 1},
                           {QStringLiteral("standard"), m_default},
                           {QStringLiteral("prompts"), prompts}};
    return savePrivateFile(m_path, QJsonDocument(file).toJson());
}

}  // namespace lacuna::app
