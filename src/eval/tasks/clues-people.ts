// Items as a block each: `answer | alias, alias`, then five clues from hard to easy.

export const people = `
Albert Einstein | Einstein
He patented a refrigerator together with Szilard.
He was offered the presidency of Israel.
He worked in the patent office of Bern.
His Nobel Prize was for the photoelectric effect.
He found the theory of relativity, with E = mc².

Marie Curie | Curie, Maria Sklodowska, Madame Curie
Her notebooks are still kept in boxes lined with lead.
She secretly studied at a so-called flying university.
She drove X-ray vans in the First World War.
She named an element after her native Poland.
She won Nobel Prizes in both physics and chemistry.

Isaac Newton | Newton
He was Warden and then Master of the Mint.
He wrote more on alchemy and the Bible than on physics.
He quarreled with Leibniz about the calculus.
He split white light with a prism.
A falling apple is said to have led him to gravity.

Leonardo da Vinci | Leonardo, da Vinci
He wrote from right to left.
He died in France, near the castle of Amboise.
He played the lira and arranged feasts in Milan.
He drew flying machines and the Vitruvian Man.
He painted the Mona Lisa.

Charles Darwin | Darwin
He wrote a whole book on earthworms.
He shared a birthday with Abraham Lincoln, to the year.
A letter from Wallace made him publish.
He sailed on the Beagle.
He wrote On the Origin of Species.

Cleopatra | Cleopatra VII
She is said to have been the first of her house to speak the language of her people.
She had a son who was called Little Caesar.
She lived nearer in time to us than to the building of the great pyramid.
Shakespeare wrote a play about her and Antony.
This last queen of Egypt is said to have died of a snake's bite.

Napoleon | Napoleon Bonaparte, Bonaparte
He sold a large piece of North America in 1803.
A law code bears his name.
He was born in Ajaccio.
He lost most of his army in Russia.
This emperor of the French was beaten at Waterloo.

Mozart | Wolfgang Amadeus Mozart, Wolfgang Mozart
He wrote down a secret choral piece after hearing it in Rome.
He kept a pet starling.
Köchel numbered his works.
He left a Requiem unfinished.
This child prodigy from Salzburg wrote The Magic Flute.

Beethoven | Ludwig van Beethoven
He counted sixty beans for his morning coffee.
He struck out a dedication when a consul became emperor.
He was born in Bonn.
He wrote only one opera, Fidelio.
This deaf composer wrote nine symphonies, the last with the Ode to Joy.

William Shakespeare | Shakespeare
He left his second-best bed to his wife.
His grave carries a curse on whoever moves his bones.
Over a hundred and fifty sonnets by him are known.
His theater was called the Globe.
This poet of Stratford wrote Romeo and Juliet.

Mahatma Gandhi | Gandhi, Mohandas Gandhi
He worked as a lawyer in Durban and Johannesburg.
He exchanged letters with Tolstoy.
He marched nearly 400 kilometers to the sea to make salt.
He spun his own cloth.
He led India to independence without violence.

Nelson Mandela | Mandela
His first name was given to him by a teacher.
He trained as a boxer.
He shared the Nobel Peace Prize with de Klerk.
He was held on Robben Island.
After 27 years in prison he became president of South Africa.

Florence Nightingale | Nightingale
She kept an owl in her pocket.
She was the first woman in the Royal Statistical Society.
She showed causes of death in a diagram of wedges.
She worked at Scutari in the Crimean War.
This founder of modern nursing was called the lady with the lamp.

Galileo | Galileo Galilei
He dedicated moons to the Medici.
One of his fingers is on show in Florence.
He taught at Padua for eighteen years.
He let balls roll down slopes to study falling.
He was tried by the Inquisition for saying that the Earth moves.

Julius Caesar | Caesar
Pirates once caught him, and he later had them put to death.
He gave the calendar a leap year.
He wrote about his wars in the third person.
He crossed the Rubicon.
This Roman was stabbed on the Ides of March.

Joan of Arc | Jeanne d'Arc
She was tried again after her death, and cleared.
She was wounded by an arrow in 1429.
She saw a king crowned at Reims.
She heard the voices of saints.
This Maid of Orléans was burned at Rouen.

Christopher Columbus | Columbus
He used an eclipse he knew of to frighten people on Jamaica.
He thought the Earth much smaller than it is.
He came from Genoa.
His ships were the Niña, the Pinta and the Santa María.
He sailed west in 1492 and reached America.

Vincent van Gogh | van Gogh
He worked for art dealers and as a lay preacher.
He wrote hundreds of letters to his brother Theo.
He quarreled with Gauguin in Arles.
He sold hardly anything in his life.
He painted sunflowers and cut off a part of his ear.

Pablo Picasso | Picasso
His full baptismal name has more than a dozen parts.
He was questioned about the theft of a famous painting in 1911.
He had a blue and a rose period.
With Braque he founded Cubism.
He painted Guernica.

Archimedes
He estimated how many grains of sand would fill the universe.
He wanted a sphere in a cylinder on his tomb.
He was killed when Syracuse fell.
He said that he could move the Earth with a place to stand.
He is said to have cried Eureka in the bath.

Ada Lovelace | Lovelace, Ada Byron, Countess of Lovelace
She wrote about an idea for a flying machine as a girl.
Her notes are longer than the article she translated.
A programming language is named after her.
She was the daughter of Lord Byron.
She wrote what is called the first program, for Babbage's machine.

Abraham Lincoln | Lincoln
He holds a patent on a device to lift boats over shoals.
He was a good wrestler when he was young.
He was the tallest president of his country.
His address at Gettysburg took about two minutes.
This American president ended slavery and was shot in a theater.

Amelia Earhart | Earhart
She worked as a nurse's aide in Toronto.
A record breaker, she had a line of clothes with her name.
In 1932 she landed in a pasture in Northern Ireland.
Her navigator was Fred Noonan.
This American flyer vanished over the Pacific in 1937.

Neil Armstrong | Armstrong
He had his flying license before he could drive a car.
He flew combat missions in Korea.
He brought a tumbling Gemini capsule back under control.
He took pieces of the Wright brothers' machine along.
He was the first person to walk on the Moon.

Marco Polo | Polo
He dictated his book in a prison in Genoa.
His account of paper money amazed his readers.
He returned home after 24 years.
He served Kublai Khan.
This merchant of Venice traveled to China.
`;
