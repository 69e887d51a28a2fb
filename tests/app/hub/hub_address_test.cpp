#include "app/hub/hub_address.h"

#include <gtest/gtest.h>

#include "tests/app/core_application.h"

namespace lacuna::app {
namespace {

const QUrl kHub(QStringLiteral("https://hub.example"));

TEST(HubAddress, names_areParsedAsRepositoriesAndFiles) {
    const auto plain = targetFrom(QStringLiteral(" owner/My-Model.v2 "), kHub);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->repository->owner, QStringLiteral("owner"));
    EXPECT_EQ(plain->repository->name, QStringLiteral("My-Model.v2"));
    EXPECT_TRUE(plain->file.isEmpty());
    const auto file = targetFrom(QStringLiteral("owner/name/Q4/a b.gguf"), kHub);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->file, QStringLiteral("Q4/a b.gguf"));
    for (const char* page : {"https://hub.example/owner/name/blob/v1/x.gguf",
                             "https://hub.example/owner/name/resolve/v1/x.gguf?download=true"}) {
        const auto shown = targetFrom(QString::fromLatin1(page), kHub);
        ASSERT_TRUE(shown && shown->repository) << page;
        EXPECT_EQ(shown->repository->revision, QStringLiteral("v1"));
        EXPECT_EQ(shown->file, QStringLiteral("x.gguf"));
    }
    const auto tree = targetFrom(QStringLiteral("https://hub.example/owner/name/tree/main"), kHub);
    ASSERT_TRUE(tree && tree->repository);
    EXPECT_TRUE(tree->file.isEmpty());
    const auto elsewhere = targetFrom(QStringLiteral("https://else.example/x/y.gguf"), kHub);
    ASSERT_TRUE(elsewhere);
    EXPECT_FALSE(elsewhere->repository);
}

TEST(HubAddress, invalidNames_areRejected) {
    for (const char* typed :
         {"", "owner", "owner/", "/name", "own er/name", "owner/../x", "owner/name/../../x.gguf",
          "owner/name//x.gguf", "-a/b", "a/.b", "https://", "https:///x.gguf", "https://h.example/",
          "https://h.example/..", "owner/name\\x/y"})
        EXPECT_FALSE(targetFrom(QString::fromLatin1(typed), kHub)) << typed;
}

TEST(HubAddress, remotePaths_neverEscapeTheModelFolder) {
    for (const char* path : {"..", ".", "a/.hidden", "", "x/", "nul\x01", "a\\b"})
        EXPECT_FALSE(localName(QString::fromLatin1(path))) << path;
    EXPECT_FALSE(localName(QString(QChar(0)) + QStringLiteral("x")));
    EXPECT_FALSE(localName(QString(201, QLatin1Char('a'))));
    EXPECT_TRUE(localName(QString(200, QLatin1Char('a'))));
    EXPECT_EQ(localName(QStringLiteral("a/../b.gguf")).value(), QStringLiteral("b.gguf"));
}

TEST(HubAddress, hubAddresses_acceptWebAddressesOnly) {
    EXPECT_EQ(hubFrom(QString()).value(), QUrl(QString::fromLatin1(kDefaultHub)));
    EXPECT_EQ(hubFrom(QStringLiteral("mirror.example/")).value(),
              QUrl(QStringLiteral("https://mirror.example")));
    for (const char* typed : {"file:///tmp", "ftp://x.example", "https://a:b@x.example",
                              "https://x.example?y", "https://"})
        EXPECT_FALSE(hubFrom(QString::fromLatin1(typed))) << typed;
    EXPECT_EQ(listingUrl(kHub, {QStringLiteral("o"), QStringLiteral("n")}).toEncoded(),
              "https://hub.example/api/models/o/n/tree/main?recursive=true");
    EXPECT_EQ(
        fileUrl(kHub, {QStringLiteral("o"), QStringLiteral("n")}, QStringLiteral("a b?#%.gguf"))
            .toEncoded(),
        "https://hub.example/o/n/resolve/main/a%20b%3F%23%25.gguf");
}

TEST(HubAddress, plainHttpToForeignHosts_needsPermission) {
    const QUrl foreign(QStringLiteral("http://host.example/x"));
    EXPECT_FALSE(fetchBlocker(foreign, PlainHttp::ThisMachineOnly).isEmpty());
    EXPECT_TRUE(fetchBlocker(foreign, PlainHttp::Anywhere).isEmpty());
    EXPECT_FALSE(
        fetchBlocker(QUrl(QStringLiteral("http://192.168.1.2/x")), PlainHttp::ThisMachineOnly)
            .isEmpty());
    EXPECT_TRUE(
        fetchBlocker(QUrl(QStringLiteral("http://127.0.0.1:9/x")), PlainHttp::ThisMachineOnly)
            .isEmpty());
    for (const char* never : {"file:///etc/passwd", "ftp://x.example/y", "https://a:b@x.example/y"})
        EXPECT_FALSE(fetchBlocker(QUrl(QString::fromLatin1(never)), PlainHttp::Anywhere).isEmpty())
            << never;
}

TEST(HubAddress, redirects_toLessSafeAddresses_areRejected) {
    const QUrl from(QStringLiteral("https://hub.example/x"));
    const auto why = [&](const char* to, PlainHttp plain = PlainHttp::ThisMachineOnly) {
        return followBlocker(from, QUrl(QString::fromLatin1(to)), plain);
    };
    EXPECT_TRUE(why("https://cdn.example/y").isEmpty());
    EXPECT_FALSE(why("http://cdn.example/y").isEmpty());
    EXPECT_FALSE(why("http://cdn.example/y", PlainHttp::Anywhere).isEmpty()) << "never downwards";
    for (const char* inside :
         {"https://127.0.0.1/y", "https://localhost/y", "https://10.1.2.3/y", "https://[::1]/y",
          "https://192.168.0.1/y", "https://169.254.1.1/y", "https://[fd00::1]/y",
          "https://0.0.0.0/y", "https://[::ffff:10.0.0.1]/y", "https://172.20.1.1/y",
          "file:///etc/passwd"})
        EXPECT_FALSE(why(inside).isEmpty()) << inside;
    EXPECT_TRUE(followBlocker(QUrl(QStringLiteral("http://127.0.0.1:1/x")),
                              QUrl(QStringLiteral("http://localhost:1/y")),
                              PlainHttp::ThisMachineOnly)
                    .isEmpty());
}

}  // namespace
}  // namespace lacuna::app
