// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const space = `
Mars
Two American landers searched its soil for life in 1976.
It has the highest known volcano of the solar system.
Its two moons are called Phobos and Deimos.
It is named after the Roman god of war.
It is called the red planet.

Venus
A day on it is longer than its year.
It turns the other way from most of its kind.
Soviet probes landed on it and were soon destroyed by heat.
Its clouds consist of sulfuric acid.
It is the brightest planet, called morning or evening star.

Jupiter
A comet broke up and fell into it in 1994.
Galileo saw four of its companions in 1610.
A day on it lasts about ten hours.
A red storm on it is larger than the Earth.
It is the largest planet of the solar system.

Saturn
Its mean density is less than that of water.
A six-sided cloud pattern lies at its north pole.
Its moon Titan has lakes of methane.
A day of the week is named after it.
It is the planet with the most splendid rings.

Uranus
It was found in 1781 by William Herschel.
It lies nearly on its side.
Its moons have names from Shakespeare and Pope.
Only one probe has visited it, in 1986.
It is the seventh planet from the Sun.

Neptune
It was found where a calculation said it would be.
Its largest moon goes around it backward.
The fastest winds of the solar system blow on it.
It is named after the Roman god of the sea.
It is the planet farthest from the Sun.

Pluto
A girl of eleven suggested its name.
Its largest moon is about half as wide as itself.
A heart-shaped plain was seen on it in 2015.
It was found by Clyde Tombaugh in 1930.
It was called a planet until 2006.

Moon | the Moon
It moves away by about 4 centimeters a year.
Mirrors left on it send laser light back.
It always turns nearly the same side to us.
It causes the tides.
Neil Armstrong walked on it in 1969.

Sun | the Sun
A cycle of about 11 years governs its spots.
Neutrinos from it pass through us by the billions.
Light from it needs about eight minutes to us.
It turns hydrogen into helium.
It is the star in the middle of our solar system.

comet
It was long held to be an omen of disaster.
Its name comes from the Greek for long-haired.
A probe called Philae landed on one.
Its tail always points away from the Sun.
The most famous one is named after Halley and returns about every 76 years.

black hole
An English clergyman imagined such a thing in 1783.
Hawking showed that it should slowly lose mass.
The first picture of one was published in 2019.
A large one lies in the middle of our galaxy.
Not even light can leave it.

Milky Way | the Milky Way
It is moving toward Andromeda.
It has a bar in the middle and arms around it.
A myth explains it with the goddess Hera.
Our Sun orbits its middle in over 200 million years.
It is our galaxy, a bright band across the night sky.

rainbow
Descartes computed an angle of about 42 degrees for it.
Everybody sees one of their own.
A fainter one outside it has its order reversed.
One sees it with the Sun at one's back, when it is wet in front.
It is an arc of colors, with a pot of gold at its end in tales.

lightning
It makes nitrogen oxides that fertilize the ground.
Sand that it hits can melt into tubes.
It may be hotter than the surface of the Sun.
A kite in a legend about Franklin was meant to catch it.
Thunder follows it.

northern lights | aurora borealis, aurora, polar lights
Its green comes from oxygen some 100 kilometers up.
Charged particles that follow a magnetic field cause it.
It is more frequent when the Sun is active.
It has a counterpart near the other pole.
Curtains of colored light appear in the night sky over Norway and Alaska.

eclipse | solar eclipse, eclipse of the Sun
Thales is said to have foretold one.
It can happen only if three bodies lie in a line.
Helium was found with the help of one.
In 1919 one served to test Einstein's theory.
For minutes it gets dark in the daytime, because the Moon covers the Sun.

snow
Kepler wrote a small book on why it has six corners.
Fresh, it swallows sound.
It is white though it is made of clear crystals.
It may slide down a slope as an avalanche.
Children build men out of it in winter.

hurricane | tropical cyclone, typhoon, cyclone
It needs a sea of about 26 degrees or more.
It hardly ever forms within five degrees of the equator.
Its strength is given on a scale named after Saffir and Simpson.
It has a calm eye.
These huge storms get names, such as Katrina.

fog
It forms when air cools to its dew point close to the ground.
It counts as such where one sees less than a kilometer.
Some desert beetles drink from it.
San Francisco and London are known for it.
It is a cloud that lies on the ground.
`;
