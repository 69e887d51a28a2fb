#include "app/bench/ruler_passages.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "app/bench/ruler_words.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kPassageStream = 0x70617373;  // "pass"

constexpr std::array<std::string_view, 48> kFirstNames{
    "Ada",    "Agnes",  "Albert",  "Amos",   "Anna",   "Arthur", "Beatrice", "Caleb",
    "Cecily", "Clara",  "Conrad",  "Daniel", "Dora",   "Edith",  "Edmund",   "Eliza",
    "Emil",   "Esther", "Felix",   "Flora",  "Frida",  "George", "Gilbert",  "Hanna",
    "Harald", "Helena", "Hugo",    "Ida",    "Ingrid", "Isaac",  "Jacob",    "Josef",
    "Julia",  "Lars",   "Leonora", "Lydia",  "Magnus", "Martha", "Miriam",   "Nathan",
    "Otto",   "Petra",  "Rosa",    "Rupert", "Selma",  "Simon",  "Tobias",   "Walter"};
constexpr std::array<std::string_view, 56> kLastNames{
    "Abbot",    "Ashdown",  "Bellamy", "Birch",      "Blomberg", "Calder",   "Carrow",  "Colby",
    "Corrigan", "Dahl",     "Denholm", "Drake",      "Elgar",    "Everett",  "Fairfax", "Falk",
    "Garland",  "Gellert",  "Grange",  "Hale",       "Harker",   "Holloway", "Iversen", "Jarvis",
    "Kemble",   "Kirkwood", "Lambert", "Linde",      "Lorimer",  "Marlow",   "Merrick", "Morley",
    "Norden",   "Oakley",   "Orme",    "Pallin",     "Penrose",  "Quill",    "Ramsey",  "Renwick",
    "Rowe",     "Sandell",  "Selwyn",  "Sorensen",   "Stroud",   "Tarrant",  "Thorne",  "Tilden",
    "Ulrich",   "Vance",    "Vester",  "Wainwright", "Weller",   "Wilde",    "Yardley", "Zeller"};
constexpr std::array<std::string_view, 24> kTownStarts{
    "Alder", "Ash",  "Bram",  "Brook", "Carl",  "Copper", "Dun",    "East",
    "Elm",   "Fern", "Frost", "Glen",  "Hazel", "Kettle", "Lang",   "Marsh",
    "North", "Pine", "Raven", "Salt",  "Stone", "Thorn",  "Wester", "Wick"};
constexpr std::array<std::string_view, 16> kTownEnds{
    "bury", "by",    "combe", "dale", "fell", "field", "ford", "gate",
    "ham",  "haven", "holm",  "mere", "port", "stead", "ton",  "worth"};
constexpr std::array<std::string_view, 20> kTrades{
    "baker",    "bookbinder", "carpenter",  "clockmaker", "cooper",   "dyer",   "farrier",
    "gardener", "glazier",    "hatter",     "locksmith",  "mason",    "miller", "potter",
    "printer",  "saddler",    "shipwright", "tailor",     "thatcher", "weaver"};
constexpr std::array<std::string_view, 12> kAnimals{"badger", "cat",     "crow",   "dog",
                                                    "donkey", "falcon",  "ferret", "goat",
                                                    "goose",  "jackdaw", "parrot", "tortoise"};
constexpr std::array<std::string_view, 16> kAnimalNames{
    "Bimbo",  "Captain", "Doctor", "Figaro", "Ginger", "Hector", "Juno",    "Major",
    "Minnow", "Nutmeg",  "Pepper", "Quince", "Rascal", "Sable",  "Thistle", "Ziggy"};
// Without May, which can occur in an answer as an ordinary word.
constexpr std::array<std::string_view, 11> kMonths{"January", "February", "March",   "April",
                                                   "June",    "July",     "August",  "September",
                                                   "October", "November", "December"};
// Must not contain the adjectives used in names of societies.
constexpr std::array<std::string_view, 10> kColours{
    "black", "blue", "brown", "crimson", "green", "grey", "scarlet", "violet", "white", "yellow"};
constexpr std::array<std::string_view, 8> kHabits{
    "wrote little and is known mostly from the letters of friends",
    "never married and lived above the workshop",
    "walked to work in all weathers and was never seen in a hurry",
    "left a large collection of maps to the town library",
    "is remembered for a long quarrel with the parish about a wall",
    "spoke four languages and taught each of them in the evenings",
    "lost a fortune in a canal that was never dug",
    "kept a diary of the weather for more than thirty years"};
constexpr std::array<std::string_view, 8> kPurposes{
    "lends tools to those who cannot buy them",
    "looks after the footpaths along the coast",
    "collects old songs and prints them once a year",
    "pays for the schooling of two children every winter",
    "keeps the bridges of the district in repair",
    "holds lectures on the stars for anybody who comes",
    "plants trees wherever a road is widened",
    "runs a small museum of lamps and lanterns"};

std::string capital(std::string_view word) {
    std::string out(word);
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
    return out;
}

struct Person {
    std::string name, lastName, town, trade, animal, animalName, society, habit;
    int born = 0, founded = 0;
};

struct Society {
    std::string name, town, colour, month, purpose;
    int members = 0;
};

std::string inventedTown(RandomStream& random) {
    return std::string(oneAtRandom(kTownStarts, random)).append(oneAtRandom(kTownEnds, random));
}

/// Generates entities with unique names.
class World {
  public:
    explicit World(std::uint64_t seed) : random_(seed, kPassageStream) {}

    Person person() {
        Person made;
        do {
            made.lastName = oneAtRandom(kLastNames, random_);
            made.name = format("{} {}", oneAtRandom(kFirstNames, random_), made.lastName);
            if (names_.contains(made.name))
                made.name.insert(made.name.find(' '), format(" {}.", inventedInitial()));
        } while (!names_.insert(made.name).second);
        do
            made.society = format("{} {} Society", capital(oneAtRandom(rulerAdjectives(), random_)),
                                  capital(oneAtRandom(rulerNouns(), random_)));
        while (!names_.insert(made.society).second);
        made.town = inventedTown(random_);
        made.trade = oneAtRandom(kTrades, random_);
        made.animal = oneAtRandom(kAnimals, random_);
        made.animalName = oneAtRandom(kAnimalNames, random_);
        made.habit = oneAtRandom(kHabits, random_);
        made.born = 1780 + static_cast<int>(random_.below(120));
        made.founded = made.born + 24 + static_cast<int>(random_.below(30));
        return made;
    }

    /// Returns the society founded by a person. It meets in a town other than the founder's
    /// birthplace.
    Society societyOf(const Person& founder) {
        Society made;
        made.name = founder.society;
        do made.town = inventedTown(random_);
        while (made.town == founder.town);
        made.colour = oneAtRandom(kColours, random_);
        made.month = oneAtRandom(kMonths, random_);
        made.purpose = oneAtRandom(kPurposes, random_);
        made.members = 30 + static_cast<int>(random_.below(900));
        return made;
    }

    RandomStream& random() { return random_; }

  private:
    char inventedInitial() { return static_cast<char>('A' + random_.below(26)); }
    RandomStream random_;
    std::set<std::string> names_;
};

Passage passageOf(const Person& p) {
    return {p.name,
            format("{} was born in {} in the year {}. {} learned the trade of a {} and {}. In {} "
                   "{} founded the {}, which still exists. For many years {} kept a {} called {}.",
                   p.name, p.town, p.born, p.lastName, p.trade, p.habit, p.founded, p.lastName,
                   p.society, p.lastName, p.animal, p.animalName)};
}

Passage passageOf(const Society& s) {
    return {s.name, format("The {} {}. It meets in {}, in a house with a {} door, and has {} "
                           "members. Its yearly feast is held in {}.",
                           s.name, s.purpose, s.town, s.colour, s.members, s.month)};
}

void askOfPerson(const Person& p, RandomStream& random, PassageQuestion& into) {
    switch (random.below(5)) {
        case 0:
            into.question = format("In which town was {} born?", p.name);
            into.answer = p.town;
            break;
        case 1:
            into.question = format("In what year was {} born?", p.name);
            into.answer = format("{}", p.born);
            break;
        case 2:
            into.question = format("Which trade did {} learn?", p.name);
            into.answer = p.trade;
            break;
        case 3:
            into.question = format("Which society did {} found?", p.name);
            into.answer = p.society;
            break;
        default:
            into.question = format("What was the name of the {} that {} kept?", p.animal, p.name);
            into.answer = p.animalName;
    }
}

void askOfSociety(const Person& p, const Society& s, RandomStream& random, PassageQuestion& into) {
    switch (random.below(3)) {
        case 0:
            into.question = format("In which town does the society meet that {} founded?", p.name);
            into.answer = s.town;
            break;
        case 1:
            into.question =
                format("In which month is the feast of the society held that {} founded?", p.name);
            into.answer = s.month;
            break;
        default:
            into.question = format(
                "Which colour has the door of the house where the society meets that {} founded?",
                p.name);
            into.answer = s.colour;
    }
}

}  // namespace

PassageQuestion makePassageQuestion(PassageHops hops, std::size_t count, std::uint64_t seed) {
    World world(seed);
    PassageQuestion made;
    const Person asked = world.person();
    made.passages.push_back(passageOf(asked));
    if (hops == PassageHops::Two) {
        const Society society = world.societyOf(asked);
        made.passages.push_back(passageOf(society));
        made.needed = 2;
        askOfSociety(asked, society, world.random(), made);
    } else {
        askOfPerson(asked, world.random(), made);
    }
    while (made.passages.size() < count) {
        const Person other = world.person();
        made.passages.push_back(passageOf(other));
        if (made.passages.size() < count)
            made.passages.push_back(passageOf(world.societyOf(other)));
    }
    return made;
}

}  // namespace lacuna
