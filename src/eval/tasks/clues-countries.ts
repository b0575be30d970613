// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const countries = `
Iceland
Its parliament was founded in the year 930.
It has no standing army.
The plates of Europe and America drift apart in it.
Most of its houses are heated by hot water from the ground.
Reykjavik is its capital.

Japan
Its calendar counts the years of reigns beside those of the common era.
It consists of thousands of islands, four of them large.
It was closed to nearly all foreigners until 1853.
Its fast trains have run since 1964.
Tokyo is its capital.

Egypt
Its second city was founded by a Macedonian.
Nearly all of its people live on a few percent of its land.
A canal through it saves ships the way around a continent.
A stone found in it let scholars read an ancient script.
It has the pyramids of Giza, and Cairo is its capital.

Brazil
It once housed the court of a European king in flight.
Its capital was planned and built within about four years.
It borders on nearly every country of its continent.
It is the largest country whose people speak Portuguese.
Rio de Janeiro is in it, famous for its carnival.

Switzerland
It joined the United Nations only in 2002.
Its flag is square.
It has four national languages.
The Red Cross was founded in it.
Bern is its seat of government, and it is known for the Alps, watches and chocolate.

Nepal
Its flag is the only national flag with more than four corners.
Its clocks are 15 minutes ahead of those of its southern neighbor.
Lumbini in it is held to be the birthplace of the Buddha.
It lies between India and China.
Kathmandu is its capital, and the highest mountain stands on its border.

Greece
Its national anthem is taken from a poem of 158 stanzas.
It has about 6,000 islands and islets.
It left an empire after a war that began in 1821.
The first Olympic Games of modern times took place in it.
Athens is its capital.

Canada
Its newest territory was formed in 1999.
It has more lake area than any other country.
Its head of state lives on another continent.
It has the longest land border with a single other country.
Ottawa is its capital, and a maple leaf is on its flag.

Australia
Its constitution came into force on the first day of 1901.
A fence of more than 5,000 kilometers keeps wild dogs out of a part of it.
It once lost a so-called war against emus.
The Great Barrier Reef lies off its coast.
Canberra is its capital, and Sydney its largest city.

Netherlands | Holland, the Netherlands
About a quarter of it lies below sea level.
A flower caused a wild rise of prices in it in the 17th century.
Its seat of government is not its capital.
It is known for dikes, windmills and bicycles.
Amsterdam is its capital.

Kenya
A lake in its north is called the Jade Sea.
Bones of very early humans were found near its Lake Turkana.
Mobile money spread in it earlier than nearly anywhere.
Many of the best long-distance runners come from it.
Nairobi is its capital.

Mexico
Its capital sinks by centimeters each year, as it was built on a lake.
It lost about half of its land in a war that ended in 1848.
An eagle with a snake is on its flag.
The Aztecs ruled a part of it.
It is the southern neighbor of the United States, and tacos come from it.

Portugal
A great earthquake destroyed much of its capital in 1755.
It has the oldest alliance still in force, with England.
It makes about half of all the cork in the world.
Vasco da Gama sailed for it.
Lisbon is its capital.

Finland
It gives each newborn a box with clothes and other things.
It has well over 100,000 lakes.
It belonged to an empire until 1917.
Its people go into a hot wooden room and then into the snow.
Helsinki is its capital.

Peru
Thousands of kinds of potato grow in it.
Giant drawings in its desert can be made out only from above.
Its capital lies on a coast where it hardly ever rains.
It shares the highest navigable large lake with Bolivia.
Machu Picchu is in it, and Lima is its capital.

India
Its constitution is one of the longest in the world.
Chess is thought to have come from it.
It became independent at midnight in August 1947.
The Taj Mahal stands in it.
New Delhi is its capital, and Gandhi led it to freedom.

South Africa
It surrounds another country completely.
It has three capitals.
It gave up nuclear weapons it had built itself.
It has twelve official languages since sign language was added.
Nelson Mandela was its president.

Norway
A vault in its far north keeps seeds from the whole world.
Its savings from oil are among the largest funds of the world.
Its people voted twice against joining the European Community or Union.
The Nobel Peace Prize is awarded in it.
Oslo is its capital, and it has many fjords.

Turkey | Türkiye
Its largest lake is full of soda and has no outlet.
It introduced the Latin alphabet in 1928.
Its largest city lies on two continents.
Cappadocia and the ruins of Troy are in it.
Ankara is its capital.

Vietnam
Its imperial city lies on the Perfume River.
One of the largest known cave passages is in it.
Its script uses Latin letters with many accents.
It was divided until 1975 and reunited the year after.
Hanoi is its capital.

Madagascar
Its people's language is related to those of Borneo.
Most of its wild plants grow nowhere else.
It broke away from India some 88 million years ago.
It is the fourth largest island of the world.
Lemurs live in it, off the coast of Africa.

Poland
It vanished from the map for 123 years.
Its constitution of 1791 was the first of its kind in Europe.
A salt mine in it has chapels cut from salt.
Frédéric Chopin was born in it.
Warsaw is its capital.

Chile
It owns an island far in the Pacific that is known for stone heads.
It is the largest producer of copper.
Some of the largest telescopes stand in it.
It is over 4,000 kilometers long and mostly less than 200 wide.
Santiago is its capital.

Cuba
Many cars on its streets are from before 1960.
Its national ballet school is famous.
The United States has a naval base on it.
It is the largest island of the Caribbean.
Havana is its capital, and its cigars are well known.
`;
