#pragma once
/// \file
/// Positions of the secondary windows: each reopens where it was closed, in this run and in the
/// next. GUI thread.

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QString>

class QSettings;
class QWidget;

namespace lacuna::ui {

class WindowPlaces final : public QObject {
  public:
    /// `name` is stable because it is a key of the settings. Call before the window is first shown.
    void follow(QWidget& window, const QString& name);
    void restore(const QSettings& settings);
    void save(QSettings& settings) const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QHash<QString, QByteArray> m_places;  ///< geometry by name
    QHash<QObject*, QString> m_names;
};

}  // namespace lacuna::ui
