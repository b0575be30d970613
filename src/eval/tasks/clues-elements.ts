// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const elements = `
gold | Au
All of it ever mined would fit into a cube of some 22 meters.
It dissolves in a mixture of two acids that is called royal water.
One gram of it can be beaten into a leaf of half a square meter and more.
Its symbol comes from the Latin word aurum.
Winners of the Olympic Games get a medal that looks like it.

mercury | quicksilver, Hg
Hat makers fell ill from it.
Its symbol comes from words for water and silver.
A planet has the same name.
It was used in thermometers.
It is the only metal that is liquid at room temperature.

helium | He
It was found in the light of the Sun before it was found on Earth.
It cannot be frozen at normal pressure.
It cools the magnets of hospital scanners.
It makes a voice sound high.
It fills balloons that float.

carbon
A form of it with atomic weight 14 tells the age of old wood.
It has more known compounds than nearly any other element.
A soccer-ball shaped molecule of 60 of its atoms was found in 1985.
Soot and charcoal are mostly made of it.
Diamond and graphite consist of it.

oxygen
Priestley and Scheele found it independently.
It is the most common element in the Earth's crust by mass.
Three of its atoms form a gas that shields us from ultraviolet light.
It makes up about 21 percent of the air.
We must breathe it to live.

iron | Fe
The most stable nuclei belong to it and its neighbors.
Some meteorites consist mostly of it.
Our blood is red because of it.
Steel is mostly made of it.
It rusts, and magnets attract it.

hydrogen
One of its forms is needed for heavy water.
It burns to water.
An airship filled with it went up in flames in 1937.
It makes up about three quarters of the ordinary matter in the universe by mass.
It is the lightest element and has the number 1.

nitrogen
Beans and peas house bacteria that take it from the air.
Divers who come up too fast suffer from bubbles of it.
It is a part of every amino acid.
In liquid form it is used to freeze things at −196 degrees Celsius.
It makes up about 78 percent of the air.

silver | Ag
A whole country in South America is named after it.
It conducts electricity better than any other metal.
Photographic film depended on its salts.
It tarnishes and turns black in air with sulfur.
Runners-up get a medal of this name.

copper | Cu
It is named after an island in the Mediterranean.
The blood of crabs uses it to carry oxygen.
It turns green on old roofs.
Bronze and brass are made with it.
This reddish metal is used for electric wires.

sodium | Na, natrium
It gives old street lamps their yellow light.
Its symbol comes from a name that in English is hardly used.
It is kept under oil because it reacts with moist air.
It reacts violently with water.
Together with chlorine it forms table salt.

chlorine | Cl
Its name comes from a Greek word for pale green.
It is obtained by passing a current through brine.
It was used as a weapon at Ypres in 1915.
It is a part of the plastic PVC.
It keeps swimming pools clean.

uranium
It was named after a planet found a few years earlier.
It was once used to make glass yellow-green.
Becquerel found with it that some matter gives off rays.
Its half-life is about as long as the Earth is old.
It is the fuel of most nuclear power plants.

calcium | Ca
It is the most common metal in the human body.
Its oxide gave off the light of old theater lamps.
Chalk and marble contain it.
Vitamin D helps us to take it up.
It is in milk and makes bones strong.

aluminum | aluminium, Al
Napoleon III is said to have had cutlery of it, as it was dearer than gold.
It is the most common metal in the Earth's crust.
Rubies and sapphires are mostly its oxide.
It is made from bauxite with a great deal of electricity.
Drink cans and kitchen foil are made of it.

neon | Ne
Its name is the Greek word for new.
It is the second lightest of its group.
It was found in 1898 by cooling air until it became liquid.
It hardly ever reacts with anything.
It glows orange-red in advertising signs.

lead | Pb
Uranium ends up as it after a long chain of decays.
The Romans made water pipes of it, and plumbers are named after it.
It was once added to gasoline.
It shields from X-rays.
It is a soft, heavy, poisonous metal, and bullets are made of it.

silicon | Si
It is the second most common element in the Earth's crust.
Diatoms build their shells with it.
Its oxide is quartz.
A valley in California is named after it.
Computer chips are made of it.

phosphorus
It was first made from urine, by an alchemist in Hamburg.
It is a part of DNA's backbone.
Its name means bearer of light.
One form of it glows in the dark and another is red.
Fertilizers contain it, and so does the striking surface of a matchbox.

sulfur | sulphur, brimstone
The Bible names it beside fire, as rained on Sodom.
Rubber is hardened with it.
It is mined at volcanoes.
It belongs in gunpowder, with charcoal and saltpeter.
This yellow element is behind the smell of rotten eggs.

platinum | Pt
The Spanish are said to have thrown it into rivers, as it served to counterfeit gold.
The old standard kilogram consisted of it for nine tenths.
It is used in the catalysts of cars.
Its name means little silver.
A record that sells even better than gold earns a disk named after it.

titanium | Ti
Its oxide is the white in most paint and toothpaste.
It is named after giants of Greek myth.
It is as strong as many steels but much lighter.
It is used in aircraft and the body tolerates it well.
Artificial hip joints are often made of this light gray metal.

iodine
It turns directly from a solid into a violet vapor when gently warmed.
It colors starch dark blue.
It was first found in the ash of seaweed.
The thyroid gland needs it.
It is added to salt and was dabbed brown on wounds.
`;
