#pragma once
/// \file
/// Languages of the window and their catalogues (resources/translations). A language is fixed at
/// program start because widgets take their texts when they are created.

#include <QList>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QTranslator>

namespace lacuna::ui {

enum class Language { System, English, German, Chinese };

/// Languages in the order they are offered.
[[nodiscard]] QList<Language> languages();
/// Native name of the language: "Deutsch"; System is named in the language of the window.
[[nodiscard]] QString languageName(Language language);
/// "system", "en", "de", "zh_CN": used in settings, file names and on the command line.
[[nodiscard]] QString languageCode(Language language);
/// Returns System for an unknown code.
[[nodiscard]] Language languageOf(const QString& code);
/// Returns the first available language of `preferred` ("de-AT", "zh-Hans-CN", ...), or English.
[[nodiscard]] Language firstAvailable(const QStringList& preferred);

/// Storage of the window's settings.
[[nodiscard]] QSettings windowSettings();
[[nodiscard]] Language storedLanguage(const QSettings& settings);
void storeLanguage(QSettings& settings, Language language);

/// Installs the catalogues of a language, both this program's and Qt's, and its number format for
/// as long as the object lives. Create it after the application and before any window or thread.
/// GUI thread.
class Translation final {
  public:
    /// System uses the user's languages as reported by the operating system.
    explicit Translation(Language language);
    ~Translation();
    Translation(const Translation&) = delete;
    Translation& operator=(const Translation&) = delete;
    /// Never returns System.
    [[nodiscard]] Language language() const { return m_language; }

  private:
    Language m_language;
    QTranslator m_qt, m_own;
};

}  // namespace lacuna::ui
