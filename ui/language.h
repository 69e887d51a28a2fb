#pragma once
/// \file
/// The languages of the window and their catalogues (resources/translations). A language counts
/// from the start of the program on: widgets take their texts when they are made.

#include <QList>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QTranslator>

namespace lacuna::ui {

enum class Language { System, English, German, Chinese };

/// In the order they are offered.
[[nodiscard]] QList<Language> languages();
/// Its name in itself: "Deutsch"; of System: in the language of the window.
[[nodiscard]] QString languageName(Language language);
/// "system", "en", "de", "zh_CN": in settings, file names and on the command line.
[[nodiscard]] QString languageCode(Language language);
/// System where the code is none of these.
[[nodiscard]] Language languageOf(const QString& code);
/// The first of `preferred` ("de-AT", "zh-Hans-CN", ...) that there is; English where there is
/// none.
[[nodiscard]] Language firstSpoken(const QStringList& preferred);

/// Where the window keeps what a person chose of it.
[[nodiscard]] QSettings windowSettings();
[[nodiscard]] Language storedLanguage(const QSettings& settings);
void storeLanguage(QSettings& settings, Language language);

/// Installs the catalogues of a language, ours and Qt's own, and writes figures in it, for as long
/// as it lives. Made after the application and before any window or thread. GUI thread.
class Translation final {
  public:
    /// System takes the person's languages from the system.
    explicit Translation(Language language);
    ~Translation();
    Translation(const Translation&) = delete;
    Translation& operator=(const Translation&) = delete;
    /// Never System.
    [[nodiscard]] Language language() const { return m_language; }

  private:
    Language m_language;
    QTranslator m_qt, m_own;
};

}  // namespace lacuna::ui
