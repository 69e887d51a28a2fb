#include "ui/window/window_places.h"

#include <QEvent>
#include <QSettings>
#include <QWidget>

namespace lacuna::ui {

namespace {

const QString kGroup = QStringLiteral("window/places/");

}  // namespace

void WindowPlaces::follow(QWidget& window, const QString& name) {
    m_names[&window] = name;
    window.installEventFilter(this);
    connect(&window, &QObject::destroyed, this, [this](QObject* gone) { m_names.remove(gone); });
}

/// Saves the position of the frame: restoring the position of the content would move the window by
/// the size of its frame each time.
bool WindowPlaces::eventFilter(QObject* watched, QEvent* event) {
    auto* window = qobject_cast<QWidget*>(watched);
    const auto name = m_names.constFind(watched);
    if (window == nullptr || name == m_names.cend()) return QObject::eventFilter(watched, event);
    switch (event->type()) {
        case QEvent::Show:
            if (const QByteArray place = m_places.value(*name);
                !event->spontaneous() && !place.isEmpty())
                window->restoreGeometry(place);
            break;
        case QEvent::Move:
        case QEvent::Resize:
            if (window->isVisible()) m_places[*name] = window->saveGeometry();
            break;
        default:
            break;
    }
    return QObject::eventFilter(watched, event);
}

void WindowPlaces::restore(const QSettings& settings) {
    const QStringList keys = settings.allKeys();
    for (const QString& key : keys) {
        if (!key.startsWith(kGroup)) continue;
        m_places[key.mid(kGroup.size())] = settings.value(key).toByteArray();
    }
}

void WindowPlaces::save(QSettings& settings) const {
    for (auto place = m_places.begin(); place != m_places.end(); ++place)
        settings.setValue(kGroup + place.key(), place.value());
}

}  // namespace lacuna::ui
