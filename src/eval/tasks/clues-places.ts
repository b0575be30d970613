// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const places = `
Eiffel Tower
It grows by some centimeters in summer.
Artists signed a protest against it.
It was saved because it was useful for radio.
It was built for the world's fair of 1889.
It is an iron tower in Paris.

Mount Everest | Everest, Chomolungma, Sagarmatha
Sea shells are found in its rock.
Its English name honors a surveyor who objected to it.
Surveyors first called it Peak XV.
Hillary and Tenzing reached its top in 1953.
It is the highest mountain on Earth above sea level.

Great Wall of China | Great Wall, Chinese Wall, Great Chinese Wall
Sticky rice is in some of its mortar.
Some of its parts are merely rammed earth.
Most of what stands today is from the Ming dynasty.
It cannot really be seen from the Moon.
It winds over mountains for thousands of kilometers, to keep riders from the north out of China.

Venice
Its ruler threw a ring into the sea each year.
A part of it gave all ghettos their name.
It stands on millions of wooden piles.
Its main street is water.
Gondolas are at home in this Italian city.

Sahara | Sahara Desert
Rock pictures in it show hippos and cattle.
Its dust fertilizes the Amazon forest.
Its name is the Arabic word for deserts.
Caravans carried salt across it.
It is the largest hot desert, in the north of Africa.

Amazon | Amazon River
No bridge crosses its main course.
It once flowed the other way.
A wave called pororoca runs up it.
It carries more water than any other.
This river flows through the rain forest of Brazil.

Nile | Nile River
Its blue and white branches meet at Khartoum.
Explorers long argued about its source.
It flows north.
The dam at Aswan holds it back.
Egypt was called its gift.

Colosseum | Flavian Amphitheater
Sailors worked its huge sun roof.
A palace lake of Nero's had been in its place.
Hundreds of kinds of plants grew in its ruins.
It had room for about 50,000 spectators.
Gladiators fought in this arena in Rome.

Statue of Liberty | Lady Liberty
A copy of it stands on an island in the Seine.
Its frame was designed by Eiffel.
A chain lies broken at its feet.
It was a gift of France.
She holds up a torch in New York's harbor.

Taj Mahal
Its four towers lean slightly outward.
It took about twenty thousand workers, by old reports.
It stands by the Yamuna.
Shah Jahan had it built for his dead wife.
This white marble tomb is in Agra, India.

London
Its underground railway opened in 1863.
A fire that began in a bakery destroyed it in 1666.
The prime meridian runs through a part of it.
It has held the Olympic Games three times.
Big Ben and Tower Bridge are in this capital.

Paris
It was called Lutetia by the Romans.
Haussmann cut wide streets through it.
Six million dead lie in tunnels under it.
Its cathedral burned in 2019.
The Louvre is in this capital of France.

Stonehenge
Some of its stones came from Wales.
Charles Darwin dug for worms at it.
It was bought at auction in 1915.
It is lined up with the sunrise at midsummer.
It is an ancient ring of standing stones in England.

Pompeii
An eyewitness described its end in letters to Tacitus.
Loaves of bread were found in its ovens.
Hollows in its ground were filled with plaster.
Election slogans can be read on its walls.
This Roman town was buried by Vesuvius.

Machu Picchu
It was probably built for the ruler Pachacuti.
Its walls stand without mortar.
Hiram Bingham made it known in 1911.
It lies about 2,400 meters high.
It is the famous Inca town in Peru.

Antarctica
A treaty of 1959 leaves claims to it open.
Its largest animal that stays on land is a wingless midge.
Some of its valleys have had no rain for very long.
Amundsen and Scott raced across it.
It is the continent around the South Pole.

Niagara Falls | Niagara
It moves back by some centimeters to a meter each year.
A schoolteacher went down it in a barrel in 1901.
Blondin crossed its gorge on a rope.
Less of its water flows at night, for power plants.
This great waterfall is on the border of Canada and the United States.

Panama Canal
A first attempt, led by the builder of Suez, failed.
Yellow fever had to be beaten before it could be built.
Ships pay for the passage through it by their size.
Its locks lift ships 26 meters up to a lake.
It joins the Atlantic and the Pacific in Central America.

Grand Canyon
Powell went through it in boats in 1869.
Its lowest rocks are nearly two billion years old.
Mail is still carried by mule to a village in it.
The Colorado River cut it.
It is the most famous gorge, in Arizona.

Dead Sea
Its level falls by about a meter a year.
Hidden scrolls were found in caves near it.
The Jordan flows into it, and nothing flows out.
It lies more than 400 meters below the level of the oceans.
One floats in it without swimming, as it is so salty.

Easter Island | Rapa Nui
A script of its people has never been read.
It was named by a Dutchman for the day of his arrival.
Its nearest inhabited neighbors are about 2,000 kilometers away.
It belongs to Chile.
Giant stone heads called moai stand on it.

Kilimanjaro | Mount Kilimanjaro
It consists of three volcanoes.
Hans Meyer reached its top in 1889.
Hemingway named a story after its snows.
Its ice has shrunk by more than four fifths in a century.
It is the highest mountain of Africa.

Acropolis | Acropolis of Athens
A part of it was blown up in 1687 when it held gunpowder.
Many of its sculptures are in London.
Pericles had it rebuilt.
Its columns bulge a little, so that they look straight.
Athena's most famous temple stands on this hill in Athens.

Vatican City | Vatican, the Vatican
It has a railway of less than two kilometers.
Its cash machines could be used in Latin.
Swiss guards protect it.
It became a state of its own in 1929.
The pope lives in this smallest state.
`;
