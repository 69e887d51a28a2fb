#pragma once
/// \file
/// Where the windows beside the main window stand: each opens where it was closed, in this run and
/// in the next. GUI thread.

#include <QByteArray>
#include <QHash>
#include <QObject>
#include <QString>

class QSettings;
class QWidget;

namespace lacuna::ui {

class WindowPlaces final : public QObject {
  public:
    /// `name` is stable: it stands in the settings. The window was not shown yet.
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
