// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const inventions = `
telescope
A spectacle maker of Middelburg applied for a patent on it in 1608.
Newton built one with a mirror.
Galileo turned it on Jupiter.
The best-known one in orbit is named after Hubble.
One looks at the stars through it.

printing press
Its inventor lost it to a man who had lent him money.
Its form was taken from the wine press.
Within fifty years it had made millions of copies in Europe.
Gutenberg built it in Mainz.
It prints books with movable type.

compass
In China it was first used to choose places for houses and graves.
It does not point exactly to where its users want to go, by an angle called declination.
Iron in a ship disturbs it.
A rose of 32 winds is drawn under it.
Its needle points north.

microscope
A cloth merchant of Delft made hundreds of simple ones.
Hooke saw little rooms in cork with it and called them cells.
Its sharpness is limited by the length of light waves.
One kind uses electrons instead of light.
It shows things that are too small for the eye.

steam engine
An early form was shown in Alexandria as a toy.
An ironmonger named Newcomen built one to pump water out of mines.
Its improver gave his name to a unit of power.
It drove the Industrial Revolution.
Burning coal boils water in it, and it drove the first locomotives.

telephone | phone
Two men applied for a patent on it on the same day.
Its first words called an assistant named Watson.
Women soon worked at its switchboards.
Alexander Graham Bell is known for it.
One speaks into it to people far away.

light bulb | bulb, incandescent lamp, electric bulb
One of them has burned in a fire station in California since 1901.
Swan in England worked on it at the same time as its better-known maker.
Carbonized bamboo served in it before tungsten.
It turns most of its energy into heat.
Edison's lamp stands over the head of those with an idea.

bicycle | bike
It may have been invented because oats were dear after a cold summer.
Its first form had no pedals.
Its inventor Drais called it a running machine.
One early kind had a huge front wheel.
It has two wheels, pedals and a handlebar.

clock | watch
Monks needed it for their prayers.
Huygens made it far more exact with a pendulum.
Harrison built one to find the longitude at sea.
The most exact ones count the swings of atoms.
It has hands and tells the time.

glasses | spectacles, eyeglasses, pair of glasses
They first appear in a painting in Treviso in 1352.
They came up in Italy near the end of the 13th century.
Franklin is said to have had them in two parts, for near and far.
Nearly everybody older than fifty needs them to read.
They sit on the nose in front of the eyes.

zipper | zip, zip fastener
An engineer from Sweden named Sundback gave it its present form.
It was first used for boots and tobacco pouches.
An American tire maker gave it its name.
A slider joins two rows of teeth.
It closes trousers and jackets.

parachute
Leonardo drew one in the shape of a pyramid.
Garnerin jumped with one from a balloon over Paris in 1797.
A hole in its top makes it steadier.
It slowed space capsules on their way home.
One opens it after jumping out of an airplane.

elevator | lift
Archimedes is said to have built one.
Its safety brake was shown in New York in the 1850s.
Otis founded a company for it.
It made skyscrapers practical.
It takes people up and down in a building.

thermometer
Its scale was once numbered the other way around, with boiling at zero.
Galileo's circle had one that also answered to the pressure of the air.
Santorio used one on the sick.
Fahrenheit put mercury into it.
It measures temperature.

battery
Its inventor piled up disks of zinc and another metal with wet cardboard.
A quarrel about frogs' legs led to it.
Its two poles are called anode and cathode.
The unit of voltage is named after its inventor.
It powers flashlights and phones.

airplane | plane, aeroplane, aircraft
Lilienthal's glides prepared the way for it.
Its first powered flight lasted twelve seconds.
Two makers of bicycles built it.
It flew near Kitty Hawk in 1903.
The Wright brothers' machine has wings and engines.

radio | wireless
Hertz showed what it rests on but saw no use in it.
The operators of the Titanic used it to call for help.
A letter S crossed the Atlantic by it in 1901.
Marconi got the Nobel Prize for it.
One listens to music and news with it, without a picture.

camera
The oldest picture from one took hours and shows roofs.
Its forerunner was a dark room with a hole.
Daguerre used silver plates in it.
Eastman sold it with the words that one only had to push a button.
One takes pictures with it.

dynamite
It was first called a safety powder.
Its main part was made safe by a kind of earth.
A newspaper is said to have called its inventor a merchant of death.
Its inventor left his fortune to five prizes.
Alfred Nobel's explosive comes in sticks.

vaccine | vaccination
Its name comes from the Latin word for cow.
A boy named Phipps was the first to get one in a famous trial.
Pasteur made one against rabies.
It ended smallpox.
It trains the body's defense against a disease, often by a shot.

paper
A court official in China is said to have reported it in the year 105.
Prisoners taken at a battle in 751 are said to have brought it to Samarkand.
It was long made from rags.
Today it is mostly made from wood.
Books and notes are written on it.

wheel
The Inca built roads and did without it.
Potters used it before carriers did.
The oldest wooden one with an axle was found near Ljubljana.
It needs an axle to be of use.
Cars have four of them and bicycles two.

abacus
Its name may come from a Semitic word for dust.
In Japan it is called soroban.
In 1946 it won a contest against an electric machine.
Merchants used it long before written figures.
One calculates with it by moving beads.

lighthouse
Keepers used to live in it.
Fresnel's lens made it visible much farther.
One of the seven wonders was one, at Alexandria.
Each has its own rhythm, so that it can be told apart.
This tower warns ships with its beam.
`;
